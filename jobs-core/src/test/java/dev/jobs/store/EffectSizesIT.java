package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.limits.JobLimit;
import dev.jobs.limits.LimitNumbers;
import dev.jobs.limits.Permits;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.CallBounds;
import dev.jobs.testing.MeteredProxy;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.JobTrash;
import dev.jobs.trash.JobTrash.Fate;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls keep their bounded size when an {@link EffectSource} adds more to them than the jobs have. */
class EffectSizesIT {

    private static final int JOBS = 100;

    private static final int EFFECT_BYTES = 1_300;

    /** As much as carries about 25 jobs. */
    private static final CallBounds BOUNDS = new CallBounds(1 << 15);

    /** A full call, one more job, and what stands around its parts. */
    private static final long LARGEST_REQUEST = (long) BOUNDS.bytes() + EFFECT_BYTES + 10_000;

    private static final EffectSource LARGE = stored -> List.of(count("x".repeat(EFFECT_BYTES)));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final AtomicLong largest = new AtomicLong();

    private MeteredProxy proxy;
    private ScriptTestBed bed;

    @BeforeEach
    void connect() {
        redis.flush();
        // Else the first call of each has its source.
        Scripts.names().forEach(name -> redis.texts().scriptLoad(Scripts.source(name)));
        proxy = new MeteredProxy(
                redis.port(), (request, answer) -> largest.accumulateAndGet(request.bytes(), Math::max));
        bed = new ScriptTestBed(redis, redis.connections("", proxy.port()).withBounds(BOUNDS));
    }

    @AfterEach
    void disconnect() {
        proxy.close();
        assertThat(largest.get()).isGreaterThan(BOUNDS.bytes() / 2).isLessThan(LARGEST_REQUEST);
    }

    private static List<String> jobs() {
        return IntStream.range(0, JOBS).mapToObj(i -> "job " + i).toList();
    }

    private void assertHappened(int times) {
        assertThat(bed.happened().values()).containsExactly(Integer.toString(times));
    }

    @Test
    void whenOrphansAreHandedOn() {
        bed.push("mail", jobs().toArray(String[]::new));
        Worker dead = bed.worker("dead").join();
        assertThat(dead.take(JOBS, "mail")).hasSize(JOBS);
        redis.texts().zadd("jobs:beats", -1, dead.id);
        ProcessLeases leases = new ProcessLeases(
                bed.connection,
                bed.keys,
                ScriptTestBed.TIMING,
                ScriptTestBed.LIMITS,
                ScriptTestBed.MAX_RECOVERIES,
                LARGE);

        int recovered = 0;
        Reaped reaped;
        do {
            reaped = leases.reap(dead.id);
            recovered += reaped.recovered();
        } while (!reaped.finished());

        assertThat(recovered).isEqualTo(JOBS);
        assertHappened(JOBS);
    }

    @Test
    void whenJobsAreDeletedAndRestored() {
        JobTrash trash = new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), LARGE);
        List<byte[]> stored = jobs().stream().map(ScriptTestBed::bytes).toList();
        jobs().forEach(job -> redis.texts().lpush("queue:mail", job));
        List<byte[]> before = IntStream.range(0, JOBS)
                .mapToObj(i -> i == 0 ? new byte[0] : bytes("job " + (i - 1)))
                .toList();

        JobTrash.Added added = trash.add("mail", stored, before, "batch", false);

        assertThat(Collections.frequency(added.fates(), Fate.KEPT)).isEqualTo(JOBS);
        assertThat(added.kept()).isEqualTo(JOBS);
        assertHappened(JOBS);

        List<JobTrash.Trashed> newest = trash.newest(Instant.EPOCH, 0, JOBS).items();
        assertThat(trash.restore(newest)).hasSize(JOBS).containsOnly(1);
        assertThat(redis.texts().lrange("queue:mail", 0, -1)).hasSize(JOBS).containsExactlyInAnyOrderElementsOf(jobs());
        assertHappened(2 * JOBS);
    }

    @Test
    void whenJobsAreMoved() {
        jobs().forEach(job -> redis.texts().zadd("retry", 1, job));
        JobSets sets = bed.sets();

        List<Integer> moved = sets.move(
                StoredSet.RETRY,
                jobs().stream()
                        .map(job -> sets.toQueue(bytes(job), "mail", bytes(job)).with(LARGE.of(bytes(job))))
                        .toList());

        assertThat(moved).hasSize(JOBS).containsOnly(1);
        assertHappened(JOBS);
    }

    @Test
    void whenJobsAreParked() {
        bed.push("mail", jobs().toArray(String[]::new));
        Permits permits = new Permits(bed.connection, bed.keys);
        JobLimit one = new JobLimit("erp", "", LimitNumbers.atOnce(1));
        List<Asking> left = bed.worker("p").join().take(JOBS, "mail").stream()
                .map(job -> new Asking(job.token(), job.queue(), 1L, List.of(one), LARGE.of(job.payload())))
                .toList();

        int parked = 0;
        while (!left.isEmpty()) {
            List<Asking> some = permits.some(left);
            parked += Collections.frequency(permits.admit("p", some).orElseThrow(), Answer.PARKED);
            left = left.subList(some.size(), left.size());
        }

        assertThat(parked).isEqualTo(JOBS - 1);
        assertHappened(JOBS - 1);
    }

    @Test
    void whenAQueueIsCleared() {
        bed.push("mail", jobs().toArray(String[]::new));

        assertThat(bed.clearing(LARGE).clear("mail")).isEqualTo(JOBS);

        assertThat(redis.texts().exists("queue:mail", "jobs:cleared")).isZero();
        assertHappened(JOBS);
    }
}
