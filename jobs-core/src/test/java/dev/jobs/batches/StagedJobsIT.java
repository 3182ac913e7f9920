package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.CallBounds;
import dev.jobs.store.ScriptTestBed;
import io.lettuce.core.ScoredValue;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A call releases no more of the staged jobs of a batch than it may, the oldest first. */
class StagedJobsIT {

    private static final int MOST = 500;
    private static final String BATCH = BatchTestBed.id(1);
    private static final String STAGED = "jobs:batch:" + BATCH + ":h:" + BatchTestBed.QUEUE;

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final StagedJobs staged = new StagedJobs(bed.connection, bed.keys);

    @BeforeEach
    void clear() {
        bed.clear();
    }

    private static List<String> jobs(int number) {
        return IntStream.range(0, number).mapToObj(i -> "job " + i).toList();
    }

    private static List<String> oldestFirst(String list) {
        List<String> stored = bed.redis.texts().lrange(list, 0, -1);
        Collections.reverse(stored);
        return stored;
    }

    private long release() {
        return staged.release(BATCH, List.of(BatchTestBed.QUEUE));
    }

    @Test
    void jobsForAQueue() {
        List<String> jobs = jobs(2 * MOST + 1);
        bed.redis.texts().lpush(STAGED, jobs.toArray(String[]::new));

        assertThat(release()).isEqualTo(MOST + 1);
        assertThat(oldestFirst("queue:" + BatchTestBed.QUEUE)).isEqualTo(jobs.subList(0, MOST));
        assertThat(oldestFirst(STAGED)).isEqualTo(jobs.subList(MOST, jobs.size()));

        assertThat(release()).isEqualTo(1);
        assertThat(release()).isZero();
        assertThat(oldestFirst("queue:" + BatchTestBed.QUEUE)).isEqualTo(jobs);
    }

    @Test
    void jobsForTheSchedule() {
        List<String> jobs = jobs(MOST + 1);
        IntStream.range(0, jobs.size())
                .forEach(i -> bed.redis.texts().zadd("jobs:batch:" + BATCH + ":z", i, jobs.get(i)));

        assertThat(release()).isEqualTo(1);
        assertThat(bed.redis.texts().zrangeWithScores("schedule", 0, -1))
                .isEqualTo(IntStream.range(0, MOST)
                        .mapToObj(i -> ScoredValue.just(i, jobs.get(i)))
                        .toList());
    }

    /** How large a job is shows once it is read, so one more may be moved. */
    @Test
    void jobsOfSoManyBytes() {
        String large = "x".repeat(CallBounds.STANDARD.bytes() / 3);
        bed.redis.texts().lpush(STAGED, Collections.nCopies(10, large).toArray(String[]::new));

        assertThat(release()).isEqualTo(6);
    }
}
