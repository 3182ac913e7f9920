package dev.jobs.benchmarks.peers.rqueue;

import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.LibraryVersion;
import dev.jobs.benchmarks.driver.ParallelCalls;
import dev.jobs.benchmarks.driver.Tally;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Rqueue with its starter, on the last patch of the Boot it was made for. Settings, after the chapters "Configuration",
 * "Redis Configuration" and "Producer Consumer" of its documentation (docs/ in its repository at v3.2.0):
 *
 * <ul>
 *   <li>One queue with one listener whose {@code concurrency} is the number of jobs at once. By default such a listener
 *       fetches ten messages at a time.
 *   <li>A poll every millisecond instead of every 200. Not only does an idle worker wait this long: the poller also
 *       waits this long whenever all its threads are busy, so with the default it runs not many more jobs per second
 *       than five times the concurrency.
 *   <li>A pool of connections, created by Boot with commons-pool2. Rqueue needs a separate connection for its writes
 *       after each message, and would otherwise open and close it each time.
 *   <li>The mover of scheduled messages polls every 100 ms and moves a thousand at a time, instead of a hundred every
 *       few seconds.
 *   <li>There is no bulk call, so 16 threads enqueue a bulk, one message after the other.
 *   <li>At-least-once delivery, with the visibility timeout of 15 minutes, and the tracking of jobs are on, as by
 *       default.
 *   <li>The check for its latest version over the network is off.
 * </ul>
 *
 * <p>An application without workers is a producer, {@code rqueue.system.mode=PRODUCER}; each start of workers is a new
 * application.
 */
final class RqueueDriver implements BenchmarkDriver {

    private static final int PRODUCERS = 16;
    private static final int CONNECTIONS = 64;
    private static final int NONE = 1;

    private final ParallelCalls calls = new ParallelCalls(PRODUCERS);
    private final String redisUri;
    private ConfigurableApplicationContext application;
    private RqueueMessageEnqueuer enqueuer;

    RqueueDriver(String redisUri) {
        this.redisUri = redisUri;
        start("PRODUCER", NONE, new Tally(0));
    }

    private void start(String mode, int concurrency, Tally tally) {
        application = new SpringApplicationBuilder(RqueueApplication.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(properties(mode, concurrency))
                .initializers(context -> context.getBeanFactory().registerSingleton("tally", tally))
                .run();
        enqueuer = application.getBean(RqueueMessageEnqueuer.class);
    }

    private Map<String, Object> properties(String mode, int concurrency) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.data.redis.url", redisUri);
        properties.put("spring.data.redis.lettuce.pool.max-active", CONNECTIONS);
        properties.put("spring.data.redis.lettuce.pool.max-idle", CONNECTIONS);
        properties.put("spring.main.log-startup-info", false);
        properties.put("rqueue.system.mode", mode);
        properties.put("rqueue.latest.version.check.enabled", false);
        properties.put("rqueue.scheduler.scheduled.message.time.interval", 100);
        properties.put("rqueue.scheduler.max.message.count", 1_000);
        properties.put("benchmark.concurrency", concurrency + "-" + concurrency);
        return properties;
    }

    @Override
    public String description() {
        return LibraryVersion.of(RqueueMessageEnqueuer.class)
                + ": @RqueueListener with concurrency = jobs at once, poll 1 ms, scheduled messages moved every 100 ms by the thousand";
    }

    @Override
    public void enqueueSingly(Arguments arguments, int jobs) {
        for (int i = 0; i < jobs; i++) {
            enqueue(arguments);
        }
    }

    @Override
    public void enqueueInBulk(Arguments arguments, int jobs) throws Exception {
        calls.forEach(Collections.nCopies(jobs, arguments), this::enqueue);
    }

    private void enqueue(Arguments arguments) {
        require(enqueuer.enqueue(RqueueApplication.QUEUE, new RqueueJob(arguments)));
    }

    @Override
    public void schedule(List<Arguments> jobs, Instant at) throws Exception {
        calls.forEach(
                jobs, arguments -> require(enqueuer.enqueueAt(RqueueApplication.QUEUE, new RqueueJob(arguments), at)));
    }

    /** Rqueue only logs failures. */
    private static void require(String messageId) {
        if (messageId == null) {
            throw new IllegalStateException("a message was not enqueued");
        }
    }

    @Override
    public void startWorkers(int concurrency, Tally tally) {
        application.close();
        start("BOTH", concurrency, tally);
    }

    @Override
    public void stopWorkers() {
        application.close();
        start("PRODUCER", NONE, new Tally(0));
    }

    @Override
    public void close() throws InterruptedException {
        calls.close();
        application.close();
    }
}
