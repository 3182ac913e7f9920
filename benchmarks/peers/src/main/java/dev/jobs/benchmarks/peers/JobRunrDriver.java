package dev.jobs.benchmarks.peers;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.LibraryVersion;
import dev.jobs.benchmarks.driver.Tally;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, the open source edition; it has no Redis store. Settings, after its source
 * (BackgroundJobServerConfiguration, AbstractStorageProvider) and the page "Real-time scheduling and enqueueing" of its
 * documentation (www.jobrunr.io/en/documentation/pro/real-time-scheduling):
 *
 * <ul>
 *   <li>The shortest poll interval that the store allows. A worker that becomes idle looks for work at once, so the
 *       interval only matters for workers without work and for scheduled jobs, which are taken up to one interval
 *       early.
 *   <li>As many workers as concurrent jobs, on platform threads.
 *   <li>Job requests with a handler, which avoid the analysis of a lambda's byte code; for bulk, the calls that take a
 *       stream of them.
 *   <li>Succeeded jobs are kept, by default for 36 hours, and retries are left at their default, too.
 * </ul>
 */
abstract class JobRunrDriver implements BenchmarkDriver {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final JsonMapper json = new Jackson3JsonMapper();
    private final Duration pollInterval;
    private StorageProvider store;
    private JobRequestScheduler producer;
    private BackgroundJobServer workers;

    JobRunrDriver(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    /** Sends jobs to this store from now on. */
    final void use(StorageProvider next) {
        next.setJobMapper(new JobMapper(json));
        store = next;
        producer = new JobRequestScheduler(next);
    }

    @Override
    public String description() {
        return LibraryVersion.of(JobRequestScheduler.class) + ": "
                + store.getStorageProviderInfo().getName() + ", poll interval " + pollInterval.toMillis()
                + " ms, job requests";
    }

    @Override
    public void enqueueSingly(Arguments arguments, int jobs) {
        for (int i = 0; i < jobs; i++) {
            producer.enqueue(new Request(arguments));
        }
    }

    @Override
    public void enqueueInBulk(Arguments arguments, int jobs) {
        producer.enqueue(Stream.generate(() -> new Request(arguments)).limit(jobs));
    }

    @Override
    public void schedule(List<Arguments> jobs, Instant at) {
        producer.create(jobs.stream()
                .map(arguments ->
                        JobBuilder.aJob().withJobRequest(new Request(arguments)).scheduleAt(at)));
    }

    @Override
    public void startWorkers(int concurrency, Tally tally) {
        workers = new BackgroundJobServer(
                store,
                json,
                activating(new Handler(tally)),
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andPollInterval(pollInterval)
                        .andWorkerCount(concurrency));
        workers.start();
        long end = System.nanoTime() + START_NANOS;
        while (workers.isNotReadyToProcessJobs()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the background job server did not start");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static JobActivator activating(Handler handler) {
        return new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return type.cast(handler);
            }
        };
    }

    @Override
    public void stopWorkers() {
        workers.stop();
    }

    @Override
    public void close() throws Exception {
        producer.shutdown();
        store.close();
    }

    /** A job. */
    public record Request(Arguments arguments) implements JobRequest {

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends JobRequestHandler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** The work of the jobs. JobRunr calls public methods of public classes only. */
    public record Handler(Tally tally) implements JobRequestHandler<Request> {

        @Override
        public void run(Request request) {
            tally.ran(request.arguments().number());
        }
    }
}
