package dev.jobs.ends;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.InterruptibleRun;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the watch does to an execution that takes long, look by look, on a clock that the test sets. */
class TimeWatchIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(100);
    private static final Duration GRACE = Duration.ofSeconds(10);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final List<String> slow = new CopyOnWriteArrayList<>();
    private final List<Thread> abandoned = new ArrayList<>();
    private EngineTestBed bed;
    private ChoreTestBed process;
    private TimeWatch watch;

    @BeforeEach
    void open() {
        bed = new EngineTestBed(redis);
        bed.listeners.add(new JobListener() {
            @Override
            public void slow(JobContext job, List<StackTraceElement> stack) {
                slow.add(((ClaimedJob) job).token());
            }
        });
        process = new ChoreTestBed(bed);
        watch = new TimeWatch(new TimeoutConfig(null, GRACE), process.context, (job, thread) -> abandoned.add(thread));
    }

    @AfterEach
    void close() {
        process.close();
        bed.close();
        Thread.interrupted();
    }

    /** This thread is inside of it from now on. */
    private ClaimedJob begin(String token) {
        ClaimedJob job = claimed(token);
        TimedRun timed = new TimedRun(TIMEOUT, GRACE, process.nanos::get, true, true);
        job.attach(timed);
        InterruptibleRun.enter(job, false);
        watch.begin(job, timed);
        return job;
    }

    private ClaimedJob claimed(String token) {
        byte[] payload = "{\"class\":\"Work\",\"args\":[]}".getBytes(UTF_8);
        ClaimedJob job =
                new ClaimedJob(new Claimed(token, "default", payload, 0), process.lease.current(), 0, () -> false);
        assertThat(job.begin(process.nanos.get())).isTrue();
        return job;
    }

    private void pass(long seconds) {
        process.nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void aJobIsSlowThenInterruptedThenGivenUp() {
        ClaimedJob job = begin("0:1:1");
        assertThat(watch.runOnce()).as("until four fifths of its time").isEqualTo(Duration.ofSeconds(80));
        pass(79);
        assertThat(watch.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(slow).isEmpty();

        pass(1);
        assertThat(watch.runOnce()).isEqualTo(Duration.ofSeconds(20));
        watch.runOnce();
        assertThat(slow).containsExactly("0:1:1");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        pass(20);
        assertThat(watch.runOnce()).isEqualTo(GRACE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(TimedRun.isOver(job)).isTrue();
        assertThat(abandoned).isEmpty();
        assertThat(process.context.abandoned()).hasValue(0);

        pass(10);
        watch.runOnce();
        assertThat(abandoned).containsExactly(Thread.currentThread());
        assertThat(job.isAbandoned()).isTrue();
        assertThat(process.context.abandoned()).hasValue(1);
        assertThat(watch.runOnce()).as("is watched no more").isEqualTo(Duration.ofHours(1));
        assertThat(abandoned).hasSize(1);
    }

    @Test
    void aLookThatComesLateDoesItAllInOrder() {
        ClaimedJob job = begin("0:1:1");
        pass(500);
        watch.runOnce();
        assertThat(slow).containsExactly("0:1:1");
        assertThat(Thread.interrupted()).as("told to end").isTrue();
        assertThat(job.isAbandoned()).as("not before it was told").isFalse();
        pass(9);
        watch.runOnce();
        assertThat(job.isAbandoned()).as("it has its grace").isFalse();
        pass(1);
        watch.runOnce();
        assertThat(job.isAbandoned()).isTrue();
    }

    @Test
    void aJobThatHasLeftIsNeitherInterruptedNorGivenUp() {
        ClaimedJob job = begin("0:1:1");
        InterruptibleRun.leave(job);
        pass(500);
        watch.runOnce();
        watch.runOnce();
        assertThat(slow).isEmpty();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(abandoned).isEmpty();
        assertThat(process.context.abandoned()).hasValue(0);

        watch.leave(job);
        assertThat(watch.runOnce()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void aJobThatLeavesInTheGraceIsNotGivenUp() {
        ClaimedJob job = begin("0:1:1");
        pass(100);
        watch.runOnce();
        assertThat(Thread.interrupted()).isTrue();
        InterruptibleRun.leave(job);
        pass(10);
        watch.runOnce();
        assertThat(abandoned).isEmpty();
        assertThat(process.context.abandoned()).hasValue(0);
    }

    @Test
    void anExecutionThatIsDueBeforeTheNextLookWakesTheWatch() {
        Loop loop = watch.loop();
        loop.start();
        try {
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("jobs-timeouts")
                            && thread.getState() == Thread.State.TIMED_WAITING));
            ClaimedJob job = claimed("0:1:1");
            TimedRun timed = new TimedRun(TIMEOUT, GRACE, process.nanos::get, true, true);
            job.attach(timed);
            InterruptibleRun.enter(job, false);
            pass(80);
            watch.begin(job, timed);

            await().until(() -> slow.contains("0:1:1"));
        } finally {
            loop.stop(Duration.ofSeconds(10));
        }
    }

    @Test
    void theNextLookComesWithTheEarliest() {
        begin("0:1:1");
        pass(30);
        begin("0:1:2");
        assertThat(watch.runOnce()).isEqualTo(Duration.ofSeconds(50));
        pass(50);
        assertThat(watch.runOnce()).isEqualTo(Duration.ofSeconds(20));
        assertThat(slow).containsExactly("0:1:1");
    }
}
