package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStore;
import dev.jobs.batches.BatchTestBed;
import dev.jobs.store.AllPlacesFixture;
import dev.jobs.store.JobClaims;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.SortedMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user without the right to a command that scripts need: the scripts fail, even in the middle, and lose no job. */
class AccessIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final AllPlacesFixture fixture = new AllPlacesFixture(bed);

    @AfterEach
    void grantAll() {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
    }

    private static void deny(CommandType command) {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(command));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "DEL",
                "EXPIRE",
                "HDEL",
                "HGET",
                "HINCRBY",
                "HLEN",
                "HSET",
                "HSETNX",
                "INCRBY",
                "LPUSH",
                "LRANGE",
                "LREM",
                "LTRIM",
                "PEXPIRE",
                "RPOP",
                "RPUSH",
                "SADD",
                "SET",
                "SREM",
                "TYPE",
                "ZADD",
                "ZREM",
                "ZREMRANGEBYRANK",
                "ZREMRANGEBYSCORE",
                "ZSCORE"
            })
    void losesNoJobWhateverIsDenied(CommandType command) {
        SoftAssertions softly = new SoftAssertions();
        for (String what : fixture.steps().keySet()) {
            grantAll();
            fixture.store();
            deny(command);
            Runnable step = fixture.steps().get(what);
            try {
                step.run();
            } catch (JobStoreException e) {
                softly.assertThat(e.kind()).as(what).isEqualTo(Kind.DENIED);
            }
            grantAll();
            SortedMap<String, List<String>> places = AllPlacesFixture.places(bed.stored());
            places.remove("new");
            softly.assertThat(places.keySet()).as("jobs after '%s'", what).isEqualTo(AllPlacesFixture.JOBS);
        }
        softly.assertAll();
    }

    /** Each step of a batch is tried without the right, and again with it. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "EXPIRE",
                "EXISTS",
                "GETRANGE",
                "HDEL",
                "HEXISTS",
                "HGET",
                "HGETALL",
                "HINCRBY",
                "HMGET",
                "HSET",
                "LPUSH",
                "LRANGE",
                "LTRIM",
                "PERSIST",
                "SADD",
                "SETRANGE",
                "TYPE",
                "UNLINK",
                "ZADD",
                "ZREM"
            })
    void losesNoJobOfABatchAndStoresNoneTwiceWhateverIsDenied(CommandType command) {
        bed.clear();
        BatchTestBed batches = new BatchTestBed(bed);
        String id = BatchTestBed.id(1);
        BatchTestBed.Plan plan = BatchTestBed.plan().callsBack(id, BatchEvent.DIED);
        List<String> queues = List.of(BatchTestBed.QUEUE);
        Worker worker = bed.worker("one").join();
        firstWithout(command, () -> batches.stage(id, plan));
        firstWithout(
                command,
                () -> batches.store.fill(
                        id, List.of(BatchTestBed.waiting(id, 0), BatchTestBed.waiting(id, 1)), true, true));
        firstWithout(
                command,
                () -> batches.store.commit(List.of(new BatchStore.Complete(id, plan.definition(), true, queues))));
        firstWithout(command, () -> batches.release(id));
        batches.assertExact(id);
        JobClaims.Claimed first = worker.takeOne(BatchTestBed.QUEUE);
        firstWithout(
                command,
                () -> worker.settle(batches.told(
                        Settlement.dead(first.token(), first.payload(), true), BatchTestBed.payload(id, 0))));
        firstWithout(command, batches::lookAtAll);

        String stored = bed.stored().toString();
        assertThat(stored).containsOnlyOnce(BatchTestBed.payload(id, 0)).containsOnlyOnce(BatchTestBed.payload(id, 1));
        assertThat(batches.counters(id)).containsEntry("total", "2").containsEntry("open", "0");
        if (batches.counter(id, "dead") == 1) { // otherwise the right to count it was missing
            assertThat(bed.queue(BatchTestBed.QUEUE)).containsOnlyOnce(BatchTestBed.callback(id, BatchEvent.DIED));
        }
    }

    private static void firstWithout(CommandType command, Runnable step) {
        deny(command);
        try {
            step.run();
        } catch (JobStoreException e) {
            assertThat(e.kind()).isEqualTo(Kind.DENIED);
        } finally {
            bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
        step.run();
    }

    @Test
    void claimsUnderTheSameNumberOnceItMay() {
        fixture.store();
        Worker.Call call = new Worker.Call(0, 2, 5, 1, List.of("mail"), List.of());
        deny(CommandType.HSET);
        assertThat(catchThrowableOfType(
                                JobStoreException.class, () -> fixture.worker().repeat(call))
                        .kind())
                .isEqualTo(Kind.DENIED);
        assertThat(bed.queue("mail")).containsExactly("waiting");
        grantAll();

        assertThat(Worker.payloads(fixture.worker().repeat(call).claimed())).containsExactly("waiting");
        assertThat(bed.books().conservationError()).isZero();
    }
}
