package dev.jobs.iterations;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.ends.Cancellations;
import dev.jobs.iterations.IterationStore.Kept;
import dev.jobs.iterations.IterationStore.Progress;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sidekiq-18")
class IterationStoreIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final IterationStore store = new IterationStore(bed.connection, bed.keys);
    private final Cancellations cancellations = new Cancellations(bed.connection, bed.keys);
    private String token;

    @BeforeEach
    void oneProcessWithOneJob() {
        bed.clear();
        bed.push("mail", "a");
        token = bed.worker("one").join().takeOne("mail").token();
    }

    private Progress progress(String incarnation, int executions, String cursor, Duration runtime) {
        return new Progress("j1", incarnation, token, executions, bytes(cursor), runtime);
    }

    @Test
    void keepsWhatRubyCanRead() {
        assertThat(store.flush(progress("one", 2, "[7,\"x\"]", Duration.ofMillis(12_345))))
                .isEqualTo(Kept.KEPT);

        assertThat(bed.redis.texts().hgetall("it-j1")).isEqualTo(Map.of("ex", "2", "c", "[7,\"x\"]", "rt", "12.345"));
        assertThat(store.find("j1")).hasValueSatisfying(stored -> {
            assertThat(stored.executions()).isEqualTo("2");
            assertThat(stored.cursor()).isEqualTo(bytes("[7,\"x\"]"));
            assertThat(stored.runtime()).isEqualTo("12.345");
            assertThat(stored.cancelled()).isNull();
        });
    }

    @Test
    void isKeptForThirtyDaysFromTheFirstTimeOn() {
        store.flush(progress("one", 1, "1", Duration.ZERO));
        assertThat(bed.redis.texts().ttl("it-j1")).isBetween(2_592_000L - 60, 2_592_000L);

        bed.redis.texts().expire("it-j1", 1_000);
        store.flush(progress("one", 1, "2", Duration.ZERO));

        assertThat(bed.redis.texts().ttl("it-j1")).isBetween(1L, 1_000L);
        assertThat(bed.redis.texts().hget("it-j1", "c")).isEqualTo("2");
    }

    /** A call that was given up may arrive behind the next one. */
    @Test
    void isNotSetBackByWhatIsLate() {
        store.flush(progress("one", 2, "300", Duration.ofSeconds(3)));
        assertThat(store.flush(progress("one", 2, "100", Duration.ofSeconds(1))))
                .isEqualTo(Kept.KEPT);
        assertThat(bed.redis.texts().hgetall("it-j1")).containsEntry("c", "300").containsEntry("rt", "3.000");

        store.flush(progress("one", 3, "301", Duration.ofSeconds(1))); // after another clock
        assertThat(bed.redis.texts().hget("it-j1", "c")).isEqualTo("301");
    }

    @Test
    void changesNothingForAProcessThatDoesNotHoldTheJob() {
        store.flush(progress("one", 1, "1", Duration.ZERO));
        SortedMap<String, Object> before = bed.stored();

        assertThat(store.flush(progress("other", 9, "9", Duration.ZERO))).isEqualTo(Kept.NOT_OURS);
        assertThat(store.flush(new Progress("j1", "one", "0:9:9", 9, bytes("9"), Duration.ZERO)))
                .isEqualTo(Kept.NOT_OURS);

        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void changesNothingAfterTheJobWasSettled() {
        bed.worker("one", 1).settle(Settlement.done(token));

        assertThat(store.flush(progress("one", 1, "1", Duration.ZERO))).isEqualTo(Kept.NOT_OURS);
        assertThat(bed.redis.texts().exists("it-j1")).isZero();
    }

    @Test
    void mayBeRepeated() {
        Progress progress = progress("one", 1, "1", Duration.ofSeconds(3));
        store.flush(progress);
        SortedMap<String, Object> once = bed.stored();

        assertThat(store.flushPersistently(progress)).isEqualTo(Kept.KEPT);
        assertThat(bed.stored()).isEqualTo(once);
        Instant first = cancellations.cancel("j1", Instant.ofEpochSecond(5));
        SortedMap<String, Object> cancelled = bed.stored();
        assertThat(cancellations.cancel("j1", Instant.ofEpochSecond(9))).isEqualTo(first);
        assertThat(bed.stored().get("it-j1")).isEqualTo(cancelled.get("it-j1"));
    }

    @Test
    void clearsTheStrikesOfAJobThatGotOnSinceTheLastDeathOfItsWorker() {
        bed.push("long", "walk");
        for (int death = 1; death <= 6; death++) {
            assertThat(dieAt(death, Integer.toString(death)).recovered()).isEqualTo(1);
        }
        assertThat(bed.redis.texts().hget("jobs:recovered", ScriptTestBed.sha1("walk")))
                .isEqualTo("1");

        assertThat(dieAt(7, "6").recovered()).as("no progress").isEqualTo(1);
        assertThat(dieAt(8, "6").poisoned()).as("and again").hasSize(1);
        assertThat(bed.books().conservationError()).isZero();
    }

    /** A new worker takes the job, keeps a cursor, and is given up. */
    private Reaped dieAt(int life, String cursor) {
        Worker worker = bed.worker("life" + life).join();
        String taken = worker.takeOne("long").token();
        assertThat(store.flush(new Progress("j2", worker.id, taken, life, bytes(cursor), Duration.ZERO)))
                .isEqualTo(Kept.KEPT);
        bed.redis.texts().zadd("jobs:beats", -1, worker.id);
        return bed.leases().reap(worker.id);
    }

    @Test
    void keepsACursorWhereStrikesCannotBeCleared() {
        bed.redis.texts().set("jobs:recovered", "text");
        bed.redis.texts().set("jobs:recovered:times", "text");

        assertThat(store.flush(progress("one", 1, "1", Duration.ZERO))).isEqualTo(Kept.KEPT);
    }

    @Test
    void reportsACancellation() {
        cancellations.cancel("j1", Instant.ofEpochSecond(5));

        assertThat(store.flush(progress("one", 1, "1", Duration.ZERO))).isEqualTo(Kept.CANCELLED);
        assertThat(store.find("j1")).hasValueSatisfying(stored -> {
            assertThat(stored.cancelled()).isEqualTo("5");
            assertThat(stored.cursor()).isEqualTo(bytes("1"));
        });
    }

    @Test
    void refusesAKeyOfAnotherType() {
        bed.redis.texts().set("it-j1", "text");

        for (Runnable call : new Runnable[] {
            () -> store.find("j1"),
            () -> store.flush(progress("one", 1, "1", Duration.ZERO)),
            () -> cancellations.cancel("j1", Instant.EPOCH)
        }) {
            assertThatThrownBy(call::run).isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                    .isEqualTo(Kind.WRONG_TYPE));
        }
        assertThat(bed.redis.texts().get("it-j1")).isEqualTo("text");
        assertThat(bed.worker("one", 1).settle(bed.end(token, "j1")).moves())
                .as("that is no reason to keep the job")
                .containsExactly(1);
    }
}
