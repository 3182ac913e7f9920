package dev.jobs.ends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.ends.Cancellations.Page;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ProcessRegistry.Published;
import dev.jobs.store.JobClaims;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How cancellations are stored, and how workers read what is new. */
class CancellationsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final Cancellations cancellations = new Cancellations(bed.connection, bed.keys);

    @BeforeEach
    void empty() {
        bed.redis.flush();
    }

    private Page cancel(String jid, double after) {
        cancellations.cancel(jid, Instant.EPOCH);
        return cancellations.newerThan(after);
    }

    @Test
    void readersSeeEachCancellationOnce() {
        Page first = cancel("a", 0);
        Page second = cancel("b", first.upTo());

        assertThat(first.jids()).containsExactly("a");
        assertThat(second.jids()).containsExactly("b");
        assertThat(cancellations.newerThan(second.upTo())).isEqualTo(new Page(List.of(), second.upTo(), true));
        assertThat(cancellations.count()).isEqualTo(2);
        assertThat(cancel("a", second.upTo()).jids()).as("again").containsExactly("a");
    }

    @Test
    void nothingIsMissedIfTheClockIsSetBackOrTheNewestIsForgotten() {
        double ahead = Instant.now().plusSeconds(3_600).getEpochSecond();
        bed.redis.texts().zadd("jobs:cancelled", ahead, "a");
        bed.redis.texts().zadd("jobs:cancelled", ahead, "");
        bed.redis.texts().zrem("jobs:cancelled", "a");

        assertThat(cancel("b", ahead).jids()).containsExactly("b");
        assertThat(cancel("c", ahead).jids()).containsExactly("b", "c");
    }

    @Test
    void manyAreReadInPages() {
        List<String> jids = IntStream.range(0, 2_500).mapToObj(i -> "j" + i).toList();
        jids.forEach(jid -> cancellations.cancel(jid, Instant.EPOCH));

        List<String> read = new ArrayList<>();
        double upTo = 0;
        for (Page page = cancellations.newerThan(0); ; page = cancellations.newerThan(upTo)) {
            assertThat(page.jids()).hasSizeLessThanOrEqualTo(1_000);
            read.addAll(page.jids());
            upTo = page.upTo();
            if (page.last()) {
                break;
            }
        }
        assertThat(read).isEqualTo(jids);
    }

    @Test
    void aPageThatEndsBesideTheNewestTimeLosesNoJob() {
        List<String> jids = IntStream.range(0, 1_000).mapToObj(i -> "j" + i).toList();
        jids.forEach(jid -> cancellations.cancel(jid, Instant.EPOCH));

        Page page = cancellations.newerThan(0);

        assertThat(page.last()).isFalse();
        assertThat(page.jids()).hasSize(999);
        assertThat(cancellations.newerThan(page.upTo()).jids()).containsExactly("j999");
    }

    @Test
    void oldOnesAreForgotten() {
        long now = Instant.now().getEpochSecond();
        bed.redis.texts().zadd("jobs:cancelled", now - 31 * 86_400, "old");
        bed.redis.texts().zadd("jobs:cancelled", now - 29 * 86_400, "young");
        assertThat(cancel("a", 0).jids()).containsExactly("young", "a");
        assertThat(bed.redis.texts().ttl("jobs:cancelled")).isBetween(2_592_000L - 60, 2_592_000L);
    }

    @Test
    void tooManyAreRefusedAndNoneIsForgottenForANewerOne() {
        Cancellations few = new Cancellations(bed.connection, bed.keys, 3);
        for (String jid : List.of("a", "b", "c")) {
            few.cancel(jid, Instant.EPOCH);
        }

        assertThatThrownBy(() -> few.cancel("d", Instant.EPOCH))
                .isInstanceOf(JobsException.class)
                .hasMessageStartingWith("Job d can't be cancelled: 3 cancelled jobs have not ended");
        assertThat(bed.redis.texts().exists("it-d")).isZero();
        assertThat(few.cancel("a", Instant.now())).as("again").isEqualTo(Instant.EPOCH);
        assertThat(few.newerThan(0).jids()).containsExactly("b", "c", "a");
    }

    @Test
    void whatIsForgottenLeavesNoMarkUnlessItWasCancelledAgainOrHasBegun() {
        double upTo = cancel("a", 0).upTo();
        upTo = cancel("walked", upTo).upTo();
        bed.redis.texts().hset("it-walked", Map.of("ex", "1", "c", "7"));
        upTo = cancel("again", upTo).upTo();
        cancel("again", upTo);
        cancel("new", upTo);

        assertThat(cancellations.forgetEnded(List.of("a", "walked", "again", "new", "unknown"), upTo))
                .isEqualTo(2);

        assertThat(cancellations.newerThan(0).jids()).containsExactly("again", "new");
        assertThat(bed.redis.texts().keys("it-*")).containsExactlyInAnyOrder("it-walked", "it-again", "it-new");
        assertThat(bed.redis.texts().hgetall("it-walked")).isEqualTo(Map.of("ex", "1", "c", "7"));
    }

    @Test
    void aJobThatEndsIsForgottenInTheSameStepAndOnlyByItsOwner() {
        bed.push("mail", "a", "b");
        Worker worker = bed.worker("one").join();
        List<String> tokens =
                worker.take(2, "mail").stream().map(JobClaims.Claimed::token).toList();
        cancellations.cancel("j1", Instant.EPOCH);
        cancellations.cancel("j2", Instant.EPOCH);

        Settlement skipped = Settlement.skipped(tokens.get(0)).with(cancellations.forget("j1"));
        assertThat(worker.settle(skipped).moves()).containsExactly(1);
        assertThat(worker.settle(Settlement.skipped("0:9:9:mail").with(cancellations.forget("j2")))
                        .moves())
                .containsExactly(0);

        assertThat(cancellations.newerThan(0).jids()).containsExactly("j2");
        assertThat(bed.redis.texts().exists("it-j1")).isZero();
        assertThat(bed.redis.texts().hgetall("it-j2")).isEqualTo(Map.of("cancelled", "0", "c", "null"));
    }

    @Test
    void aKeyOfAnotherTypeIsReportedAndHidesNoProcess() {
        bed.redis.texts().set("jobs:cancelled", "text");

        assertThatThrownBy(() -> cancellations.cancel("j1", Instant.EPOCH)).isInstanceOf(JobStoreException.class);
        assertThat(bed.redis.texts().exists("it-j1")).isZero();
        Published published = new ProcessRegistry(bed.connection, bed.keys)
                .publish("p", Map.of("info", "{}"), new ProcessRegistry.Work(true, List.of(), Map.of()));
        assertThat(published).isEqualTo(new Published(null, 0, "", List.of(), null));
    }

    @Test
    void aProcessIsToldThatThereIsSomethingNew() {
        ProcessRegistry registry = new ProcessRegistry(bed.connection, bed.keys);
        ProcessRegistry.Work none = new ProcessRegistry.Work(true, List.of(), Map.of());
        assertThat(registry.publish("p", Map.of("info", "{}"), none).cancelled())
                .isEmpty();
        double upTo = cancel("j1", 0).upTo();

        String told = registry.publish("p", Map.of("info", "{}"), none).cancelled();
        assertThat(Double.parseDouble(told)).isEqualTo(upTo);
        assertThat(registry.publish("p", Map.of("info", "{}"), none).cancelled())
                .isEqualTo(told);
    }
}
