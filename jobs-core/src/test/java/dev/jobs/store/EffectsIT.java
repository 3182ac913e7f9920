package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.lists.Ledger;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.trash.JobTrash;
import dev.jobs.trash.JobTrash.Fate;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Effects happen when a job ends or moves: once, and only then. */
class EffectsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void begin() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    private String claimed(String payload) {
        bed.push("mail", payload);
        return worker.takeOne("mail").token();
    }

    private static Settlement counted(Settlement settlement) {
        return settlement.with(List.of(count("settled")));
    }

    @ParameterizedTest
    @MethodSource("dev.jobs.store.SettlementIT#kinds")
    void happenWithEverySettlementAndNotWhenItIsRepeated(Function<String, Settlement> kind) {
        Settlement settlement = counted(kind.apply(claimed("a")));

        assertThat(worker.settle(settlement).moves()).containsExactly(1);
        assertThat(worker.repeat(worker.last()).status()).isEqualTo(Status.REPLAY);
        assertThat(worker.settle(settlement).moves()).containsExactly(0);

        assertThat(bed.happened()).isEqualTo(Map.of("settled", "1"));
    }

    @Test
    void areOfAKindThatScriptsKnow() {
        assertThatThrownBy(() -> new Effect("toil", bytes("key"), "", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "'kind' must be one of [batch, cancelled, count, lock, permit, replaceable, report, result, rewritten, room, slot, start, twin, unlink] but was 'toil'");
    }

    @Test
    void countAnAckAsAnyOther() {
        worker.settle(counted(Settlement.done(claimed("a"))));

        assertThat(bed.redis.texts().get("stat:processed")).isEqualTo("1");
        assertThat(bed.redis.texts().get("stat:failed")).isNull();
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(1, 1, 0, 0, 0, 0, 0));
    }

    @Test
    void belongToOneSettlementEach() {
        bed.push("mail", "a", "b", "c", "d");
        worker.take(4, "mail");

        Reply reply = worker.settle(
                Settlement.done("0:1:1:mail"),
                Settlement.discarded("0:1:3:mail"),
                Settlement.done("0:1:2:mail").with(List.of(count("b"), count("both"))),
                Settlement.retried("0:1:4:mail", Duration.ofSeconds(9), bytes("d"))
                        .with(List.of(count("d"), count("both"))),
                Settlement.done("0:9:9:mail").with(List.of(count("nobody's"))));

        assertThat(reply.lateAcks()).isZero();
        assertThat(reply.moves()).containsExactly(1, 1, 1, 0);
        assertThat(bed.happened()).isEqualTo(Map.of("b", "1", "d", "1", "both", "2"));
    }

    @Test
    void shareAnArgumentIfTheyAreBrief() {
        bed.push("mail", "a", "b", "c", "d", "e");
        worker.take(5, "mail");
        List<byte[]> elsewhere = List.of(bytes("elsewhere"));

        worker.settle(
                Settlement.retried("0:1:1:mail", Duration.ofSeconds(9), bytes("a"))
                        .with(List.of(brief(1))),
                Settlement.done("0:1:2:mail").with(List.of(brief(4_294_967_295L), count("b"))),
                Settlement.done("0:9:9:mail").with(List.of(brief(2))),
                Settlement.done("0:1:3:mail").with(List.of(brief(65_536), Effect.brief("count", elsewhere, 5))),
                Settlement.done("0:1:4:mail"),
                Settlement.discarded("0:1:5:mail").with(List.of(brief(1))));

        assertThat(bed.happened()).isEqualTo(Map.of("1", "2", "4294967295", "1", "65536", "1", "b", "1"));
        assertThat(bed.redis.texts().hgetall("elsewhere")).isEqualTo(Map.of("5", "1"));
        assertThat(worker.repeat(worker.last()).status()).isEqualTo(Status.REPLAY);
        assertThat(bed.happened()).containsEntry("1", "2");
    }

    private static Effect brief(long number) {
        return Effect.brief("count", List.of(bytes(ScriptTestBed.HAPPENED)), number);
    }

    @Test
    void waitUntilARefusedSettlementIsMade() {
        Settlement retry = counted(Settlement.retried(claimed("a"), Duration.ofSeconds(9), bytes("a")));
        bed.redis.texts().set("retry", "text");

        assertThat(worker.settle(retry).moves()).containsExactly(-1);
        assertThat(bed.happened()).isEmpty();

        bed.redis.texts().del("retry");
        assertThat(worker.settle(retry).moves()).containsExactly(1);
        assertThat(bed.happened()).isEqualTo(Map.of("settled", "1"));
    }

    @Test
    void dontKeepAJobWhereTheirKeyHasAnotherType() {
        bed.redis.texts().set(ScriptTestBed.HAPPENED, "text");

        assertThat(worker.settle(counted(Settlement.done(claimed("a")))).moves())
                .containsExactly(1);

        assertThat(bed.inFlight("one")).isEmpty();
        assertThat(bed.redis.texts().get(ScriptTestBed.HAPPENED)).isEqualTo("text");
    }

    @Test
    void happenForWhatWasSettledBeforeAnErrorEndedTheCall() {
        bed.push("mail", "a", "b", "c");
        worker.take(3, "mail");
        bed.redis.texts().aclSetuser("default", new AclSetuserArgs().removeCommand(CommandType.ZADD));
        try {
            assertThatThrownBy(() -> worker.settle(
                            counted(Settlement.discarded("0:1:1:mail")),
                            counted(Settlement.retried("0:1:2:mail", Duration.ofSeconds(9), bytes("b"))),
                            counted(Settlement.discarded("0:1:3:mail"))))
                    .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                            .isEqualTo(JobStoreException.Kind.DENIED));
        } finally {
            bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }

        assertThat(bed.inFlight("one").keySet()).containsExactly("0:1:2:mail", "0:1:3:mail");
        assertThat(bed.happened()).isEqualTo(Map.of("settled", "1"));
        assertThat(bed.redis.texts().get("stat:processed")).isEqualTo("1");
        assertThat(bed.books().conservationError()).isZero();

        assertThat(worker.repeat(worker.last()).moves()).containsExactly(0, 1, 1);
        assertThat(bed.happened()).isEqualTo(Map.of("settled", "3"));
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void happenWhereAJobMoves() {
        JobSets sets = bed.sets();
        bed.redis.texts().zadd("retry", 1, "a");
        List<Move> moves = List.of(
                sets.toQueue(bytes("a"), "mail", bytes("a2")).with(List.of(count("a"))),
                sets.toDead(bytes("gone"), bytes("gone")).with(List.of(count("gone"))));

        assertThat(sets.move(StoredSet.RETRY, moves)).containsExactly(1, 0);
        assertThat(sets.move(StoredSet.RETRY, moves)).containsExactly(0, 0);

        assertThat(bed.happened()).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void happenWhereAJobIsDeletedAndTakenBack() {
        JobTrash trash = new JobTrash(
                bed.connection,
                bed.keys,
                new JobTrash.Bounds(10, 1_000, Duration.ofDays(1)),
                stored ->
                        List.of(count("deleted " + ScriptTestBed.text(stored), "deleted"), count("restored", "dead")));
        bed.redis.texts().zadd("dead", 1, "a");

        assertThat(trash.add(StoredSet.DEAD, List.of(bytes("a"), bytes("gone")), "batch")
                        .fates())
                .containsExactly(Fate.KEPT, Fate.GONE);
        assertThat(bed.happened()).isEqualTo(Map.of("deleted a", "1"));

        List<JobTrash.Trashed> deleted = trash.newest(Instant.EPOCH, 0, 10).items();
        assertThat(trash.restore(deleted)).containsExactly(1);
        assertThat(trash.restore(deleted)).containsExactly(0);
        assertThat(bed.happened()).isEqualTo(Map.of("deleted a", "1", "restored", "1"));
    }

    @Test
    void areChosenByWhatBecomesOfAnOrphan() {
        String payload = "{\"jid\":\"1\"}";
        ProcessLeases leases = bed.countingLeases();
        for (int death = 1; death <= ScriptTestBed.MAX_RECOVERIES; death++) {
            Worker dying = bed.worker("dying" + death).join();
            if (death == 1) {
                bed.push("mail", payload);
            }
            assertThat(dying.take(1, "mail")).hasSize(1);
            bed.redis.texts().zadd("jobs:beats", -1, dying.id);
            leases.reap(dying.id);
            leases.reap(dying.id);
        }

        assertThat(bed.members("dead")).containsExactly(payload);
        assertThat(bed.happened())
                .isEqualTo(Map.of("recovered", Integer.toString(ScriptTestBed.MAX_RECOVERIES - 1), "poisoned", "1"));
    }
}
