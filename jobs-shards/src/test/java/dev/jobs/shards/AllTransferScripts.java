package dev.jobs.shards;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.redis.RedisKeys;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.shards.TransferSource.Fate;
import dev.jobs.shards.TransferSource.Status;
import dev.jobs.shards.TransferSource.Taken;
import dev.jobs.shards.TransferTarget.Answer;
import dev.jobs.store.AllScripts;
import dev.jobs.store.ScriptTestBed;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Calls the scripts of a transfer, along every path that writes: to another shard, and back from its slices. */
public final class AllTransferScripts implements AllScripts.OfAnotherModule {

    private static final String QUEUE = "moved";
    private static final String ID = "t1";

    /** One run of all. */
    private static final class Run {

        private final ScriptTestBed bed;
        private final TransferSource source;
        private final TransferTarget target;
        private final String elsewhere;

        Run(ScriptTestBed bed) {
            this.bed = bed;
            this.elsewhere = bed.keys.prefix() + "elsewhere:";
            OrderRules fair = new OrderRules(Map.of(QUEUE, OrderRule.fair()));
            RedisKeys there = new RedisKeys(elsewhere, fair);
            this.source = new TransferSource(bed.connection, new RedisKeys(bed.keys.prefix(), fair), QUEUE);
            this.target = new TransferTarget(bed.connection, there, QUEUE);
        }

        void run() {
            Payload unique = Payload.of(Map.of(
                    "class",
                    "A",
                    "args",
                    List.of(),
                    "jid",
                    "m1",
                    "unique_lock",
                    "M",
                    "unique_for",
                    60,
                    "unique_until",
                    "success"));
            bed.redis.bytes().set(bytes(bed.key("unique:M")), bytes("m1"));
            bed.redis.bytes().lpush(bytes(bed.key("queue:" + QUEUE)), unique.bytes(), bytes("begun"), bytes("plain"));
            bed.redis.texts().zadd(bed.key("jobs:order:" + QUEUE), 1_000, "turn");
            for (String set : List.of("schedule", "retry", "dead")) {
                bed.redis.texts().zadd(bed.key(set), 4e9, "late " + set);
            }
            bed.redis.texts().hset(bed.key("it-begun"), "c", "7");
            bed.redis.texts().hset(bed.key("jobs:recovered"), "x", "1");
            target.expect(ID);
            assertThat(source.start(ID, "elsewhere", Instant.EPOCH)).isEqualTo(ID);
            assertThat(source.start("t2", "elsewhere", Instant.EPOCH)).isEqualTo(ID);

            Taken taken = take(1, Place.QUEUE, List.of("plain", "begun", ScriptTestBed.text(unique.bytes()), "gone"));
            assertThat(taken.fates()).containsExactly(Fate.TAKEN, Fate.BEGUN, Fate.TAKEN, Fate.GONE);
            assertThat(source.look(ID).status()).isEqualTo(Status.OPEN);
            assertThat(target.store("stranger", taken.slice())).isEqualTo(Answer.UNKNOWN);
            assertThat(target.refuse(ID, taken.slice())).isEqualTo(Answer.VOID);
            assertThat(target.store(ID, taken.slice())).isEqualTo(Answer.VOID);
            assertThat(source.giveBack(ID, taken.slice())).isTrue();
            assertThat(bed.redis.texts().get(bed.key("unique:M"))).isEqualTo("m1");

            deliver(take(2, Place.QUEUE, List.of("plain", ScriptTestBed.text(unique.bytes()))));
            bed.redis.bytes().lpush(bytes(bed.key("queue:" + QUEUE)), bytes("next"));
            assertThat(take(2, Place.QUEUE, List.of("next")).status())
                    .as("a late copy of an earlier call")
                    .isEqualTo(Status.NONE);
            assertThat(bed.queue(QUEUE)).contains("next");
            assertThat(bed.redis.texts().get(elsewhere + "unique:M")).isEqualTo("m1");
            Taken turn = take(3, Place.ORDER, List.of("turn"));
            assertThat(target.refuse(ID, turn.slice())).isEqualTo(Answer.VOID);
            assertThat(source.giveBack(ID, turn.slice())).isTrue();
            deliver(take(4, Place.ORDER, List.of("turn")));
            deliver(take(5, Place.SCHEDULE, List.of("late schedule")));
            deliver(take(6, Place.RETRY, List.of("late retry")));
            deliver(take(7, Place.DEAD, List.of("late dead")));
            assertThat(target.stored(ID)).isEqualTo(6);
            source.note(ID, "retry from=1");
            assertThat(source.pass()).isEqualTo("retry from=1");
            source.note(ID, "");
            assertThat(source.pass()).isEmpty();
            assertThat(source.close(ID)).isTrue();
            source.note(ID, "retry from=1");
            assertThat(source.pass()).isEmpty();
            assertThat(take(8, Place.QUEUE, List.of("begun")).status()).isEqualTo(Status.CLOSED);
            bed.redis.texts().del(bed.key("it-begun"), bed.key("queue:" + QUEUE), bed.key("jobs:recovered"));
            bed.redis.texts().keys(elsewhere + "*").forEach(key -> bed.redis
                    .texts()
                    .del(key));
        }

        private Taken take(long number, Place place, List<String> jobs) {
            return source.take(
                    ID,
                    number,
                    "aa",
                    place,
                    0,
                    Instant.EPOCH,
                    jobs.stream().map(ScriptTestBed::bytes).toList(),
                    jobs);
        }

        private void deliver(Taken taken) {
            assertThat(taken.status()).isEqualTo(Status.TAKEN);
            assertThat(target.store(ID, taken.slice())).isEqualTo(Answer.STORED);
            assertThat(target.store(ID, taken.slice())).isEqualTo(Answer.STORED);
            assertThat(source.settle(ID, taken.slice())).isTrue();
            assertThat(source.settle(ID, taken.slice())).isFalse();
        }
    }

    @Override
    public void run(ScriptTestBed bed) {
        new Run(bed).run();
    }
}
