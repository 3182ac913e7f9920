package dev.jobs.benchmarks.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.List;

/**
 * The program of a driver. Its arguments are the driver's class, which has a constructor for the address of Redis, and
 * this address. The last number of each command is the size of the jobs' {@link Arguments}.
 */
public final class DriverMain implements CommandLoop.Program {

    private final BenchmarkDriver driver;
    private final Measurements measurements;

    private DriverMain(BenchmarkDriver driver, RedisServer redis) {
        this.driver = driver;
        this.measurements = new Measurements(driver, redis);
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new DriverMain(create(arguments[0], arguments[1]), new RedisServer(arguments[1])));
    }

    private static BenchmarkDriver create(String type, String redis) throws Exception {
        Constructor<? extends BenchmarkDriver> constructor =
                Class.forName(type).asSubclass(BenchmarkDriver.class).getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        try {
            return constructor.newInstance(redis);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public Answer greeting() {
        return new Answer().with("driver", driver.description());
    }

    @Override
    public Answer perform(List<String> words) throws Exception {
        int[] numbers = words.stream().skip(1).mapToInt(Integer::parseInt).toArray();
        Arguments arguments = Arguments.ofSize(numbers.length == 0 ? 0 : numbers[numbers.length - 1]);
        return switch (words.get(0) + "/" + numbers.length) {
            case "drain/3" -> measurements.drain(numbers[0], numbers[1], arguments);
            case "drain-limited/4" -> measurements.drainLimited(numbers[0], numbers[1], numbers[2], arguments);
            case "work/4" -> measurements.work(numbers[0], numbers[1], numbers[2], arguments);
            case "enqueue-single/3" -> measurements.enqueueSingle(numbers[0], numbers[1], arguments);
            case "enqueue-unique/3" -> measurements.enqueueUnique(numbers[0], numbers[1], arguments);
            case "enqueue-bulk/2" -> measurements.enqueueBulk(numbers[0], arguments);
            case "latency/3" -> measurements.latency(numbers[0], numbers[1], arguments);
            case "due/3" -> measurements.due(numbers[0], numbers[1], arguments);
            case "lateness/3" -> measurements.lateness(numbers[0], numbers[1], arguments);
            case "cold/3" -> measurements.cold(numbers[0], numbers[1], arguments);
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    @Override
    public void close() throws Exception {
        driver.close();
    }
}
