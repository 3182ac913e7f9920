package dev.jobs.benchmarks.application;

import com.sun.management.OperatingSystemMXBean;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.CommandLoop;
import dev.jobs.benchmarks.driver.Footprint;
import dev.jobs.benchmarks.driver.Pauses;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the application and says what that took. Its argument is the address of Redis. */
public final class ApplicationMain implements CommandLoop.Program {

    private static final Duration LOOK = Duration.ofMillis(5);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final ConfigurableApplicationContext context;

    private ApplicationMain(String redis) {
        context = SpringApplication.run(Application.class, "--spring.data.redis.url=" + redis);
    }

    public static void main(String[] arguments) throws Exception {
        CommandLoop.run(() -> new ApplicationMain(arguments[0]));
    }

    /** The processor time until the application and all in it that tells were ready, with the JVM's start. */
    @Override
    public Answer greeting() {
        long begin = System.nanoTime();
        for (Readiness each : context.getBeansOfType(Readiness.class).values()) {
            while (!each.isReady()) {
                if (System.nanoTime() - begin > PATIENCE_NANOS) {
                    throw new IllegalStateException("not ready: " + each);
                }
                Pauses.pause(LOOK);
            }
        }
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Answer()
                .with("cpu_nanos", process.getProcessCpuTime())
                .with("uptime_millis", ManagementFactory.getRuntimeMXBean().getUptime());
    }

    @Override
    public Answer perform(List<String> words) throws IOException {
        return Footprint.now();
    }

    @Override
    public void close() {
        context.close();
    }
}
