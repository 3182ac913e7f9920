package dev.jobs.benchmarks.contest;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.List;

/**
 * The program of a contestant. Its arguments are the contestant's class, which has a constructor for the address of
 * Redis, and this address.
 */
public final class ContestantMain implements CommandLoop.Program {

    private final Contestant contestant;
    private final Disciplines disciplines;

    private ContestantMain(Contestant contestant, RedisServer redis) {
        this.contestant = contestant;
        this.disciplines = new Disciplines(contestant, redis);
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new ContestantMain(create(arguments[0], arguments[1]), new RedisServer(arguments[1])));
    }

    private static Contestant create(String type, String redis) throws Exception {
        Constructor<? extends Contestant> constructor =
                Class.forName(type).asSubclass(Contestant.class).getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        try {
            return constructor.newInstance(redis);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public Answer greeting() {
        return new Answer().with("contestant", contestant.description());
    }

    @Override
    public Answer perform(List<String> words) throws Exception {
        int[] numbers = words.stream().skip(1).mapToInt(Integer::parseInt).toArray();
        return switch (words.get(0) + "/" + numbers.length) {
            case "drain/2" -> disciplines.drain(numbers[0], numbers[1]);
            case "work/3" -> disciplines.work(numbers[0], numbers[1], numbers[2]);
            case "enqueue-single/2" -> disciplines.enqueueSingle(numbers[0], numbers[1]);
            case "enqueue-bulk/1" -> disciplines.enqueueBulk(numbers[0]);
            case "latency/2" -> disciplines.latency(numbers[0], numbers[1]);
            case "due/2" -> disciplines.due(numbers[0], numbers[1]);
            case "lateness/2" -> disciplines.lateness(numbers[0], numbers[1]);
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    @Override
    public void close() throws Exception {
        contestant.close();
    }
}
