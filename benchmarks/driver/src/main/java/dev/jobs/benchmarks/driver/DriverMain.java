package dev.jobs.benchmarks.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.List;

/**
 * The program of a driver. Its arguments are the driver's class, which has a constructor for the address of
 * Redis, and this address.
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
        return switch (words.get(0) + "/" + numbers.length) {
            case "drain/2" -> measurements.drain(numbers[0], numbers[1]);
            case "work/3" -> measurements.work(numbers[0], numbers[1], numbers[2]);
            case "enqueue-single/2" -> measurements.enqueueSingle(numbers[0], numbers[1]);
            case "enqueue-bulk/1" -> measurements.enqueueBulk(numbers[0]);
            case "latency/2" -> measurements.latency(numbers[0], numbers[1]);
            case "due/2" -> measurements.due(numbers[0], numbers[1]);
            case "lateness/2" -> measurements.lateness(numbers[0], numbers[1]);
            default -> throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        };
    }

    @Override
    public void close() throws Exception {
        driver.close();
    }
}
