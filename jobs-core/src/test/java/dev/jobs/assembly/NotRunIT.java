package dev.jobs.assembly;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobListener.Ending;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.Limit;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import dev.jobs.unique.Unique.OnConflict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that are not run use up no start of their limit, through real engines. */
class NotRunIT {

    private static final String BATCH = "0123456789abcdef";
    private static final String EXPIRED = "\"expiry\":" + (Instant.now().getEpochSecond() - 600) + ".5";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final RedisJobClient client = bed.client(jobs);

    static final class Jobs {

        final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @Job(value = "call", retry = 0)
        @Limit(name = "api", rate = 1, per = "1h", burst = 1)
        void call(String id) {
            ran.add(id);
        }

        @Job("walk")
        @Limit(name = "api", rate = 1, per = "1h", burst = 1)
        Iteration<Integer> walk() {
            return Iteration.over(List.of(1)).each(element -> ran.add("walk")).onComplete(() -> ran.add("walked"));
        }

        @Job("latest")
        @Limit(name = "api", rate = 1, per = "1h", burst = 1)
        @Unique(key = "{0}", onConflict = OnConflict.REPLACE)
        void latest(long shop, int version) {
            ran.add("latest " + version);
        }
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private long parked() {
        return redis.texts().zcard("jobs:parked:api");
    }

    private void awaitEnds(Ending... endings) {
        bed.awaitEnds(endings.length);
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactlyInAnyOrder(endings);
    }

    @Test
    void expiredJobsLeaveTheStartToTheNextOne() {
        for (int i = 0; i < 5; i++) {
            bed.push("default", payload("call", "old" + i, "[\"old\"]", EXPIRED));
        }
        bed.push("default", payload("call", "new", "[\"new\"]"));
        bed.start(jobs);

        awaitEnds(Ending.EXPIRED, Ending.EXPIRED, Ending.EXPIRED, Ending.EXPIRED, Ending.EXPIRED, Ending.DONE);

        assertThat(jobs.ran).containsExactly("new");
        assertThat(parked()).isZero();
    }

    @Test
    void cancelledJobsLeaveTheStartToTheNextOne() {
        client.cancel("one");
        client.cancel("walk");
        bed.push("default", payload("call", "one", "[\"one\"]"));
        bed.push("default", payload("walk", "walk", "[]"));
        bed.start(jobs);

        awaitEnds(Ending.CANCELLED, Ending.DONE);

        assertThat(jobs.ran)
                .as("an iterable one begins, and ends in its own way")
                .containsExactly("walked");
        bed.push("default", payload("call", "late", "[\"late\"]"));
        await().atMost(Duration.ofSeconds(60)).until(() -> parked() == 1);
        client.cancel("late");
        redis.texts().zadd("jobs:wake", 0, ""); // the look at all limits, which comes each minute
        awaitEnds(Ending.CANCELLED, Ending.DONE, Ending.CANCELLED);
    }

    @Test
    void jobsOfACancelledBatchLeaveTheStartToTheNextOne() {
        cancelBatch();
        bed.push("default", payload("call", BATCH + "00000000", "[\"one\"]", "\"jb\":1"));
        bed.push("default", payload("call", "two", "[\"two\"]"));
        bed.start(jobs);

        awaitEnds(Ending.SKIPPED, Ending.DONE);

        assertThat(jobs.ran).containsExactly("two");
    }

    private static void cancelBatch() {
        redis.texts().hset("jobs:batch:" + BATCH, "changed", "1");
        redis.texts().zadd("jobs:batches:cancelled", 1, BATCH);
    }

    @Test
    void parkedJobsOfACancelledBatchEndAtOnce() {
        int count = 150;
        bed.push("default", payload("call", "one", "[\"one\"]"));
        for (int i = 0; i < count; i++) {
            bed.push("default", payload("call", BATCH + String.format("%08x", i), "[\"no\"]", "\"jb\":1"));
        }
        bed.push("default", payload("call", "last", "[\"last\"]"));
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(60)).until(() -> parked() == count + 1);

        cancelBatch();

        bed.awaitEnds(count + 1);
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .filteredOn(Ending.SKIPPED::equals)
                .hasSize(count);
        assertThat(parked()).isEqualTo(1);
        assertThat(jobs.ran).containsExactly("one");
    }

    @Test
    void replacedJobsLeaveTheStartToTheLatestOne() {
        for (int version = 1; version <= 5; version++) {
            client.enqueue("latest", 1, version);
        }
        bed.start(jobs);

        awaitEnds(Ending.REPLACED, Ending.REPLACED, Ending.REPLACED, Ending.REPLACED, Ending.DONE);

        assertThat(jobs.ran).containsExactly("latest 5");
        bed.awaitDrained("default"); // until then the job holds its lock, and has begun
        for (int version = 6; version <= 20; version++) {
            client.enqueue("latest", 1, version);
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> bed.ends.size() == 19 && parked() == 1);
        assertThat(redis.texts().zrange("jobs:parked:api", 0, -1))
                .singleElement()
                .asString()
                .contains("\"args\":[1,20]");
        String twin = redis.texts().keys("jobs:twin:*").get(0);
        assertThat(redis.texts().hlen(twin)).isLessThanOrEqualTo(3);
    }

    @Test
    void jobsThatCanNotRunHereGiveTheirStartBack() {
        bed.push("default", payload("call", "one", "[{}, 2, 3]"));
        bed.push("default", payload("unknown", "two", "[]", "\"limits\":[[\"api\",\"\"]]", "\"retry\":0"));
        bed.start(jobs);
        awaitEnds(Ending.DEAD, Ending.DEAD);
        bed.push("default", payload("call", "three", "[\"three\"]"));

        awaitEnds(Ending.DEAD, Ending.DEAD, Ending.DONE);

        assertThat(jobs.ran).containsExactly("three");
    }
}
