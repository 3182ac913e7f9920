package dev.jobs.shards;

import static dev.jobs.shards.TransferBed.TARGET;
import static dev.jobs.shards.TransferBed.job;
import static dev.jobs.shards.TransferBed.names;
import static dev.jobs.shards.TransferBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobStoreException;
import dev.jobs.proof.LongTest;
import dev.jobs.shards.QueueTransfer.Shard;
import dev.jobs.testing.RedisProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A process that transfers a queue dies after each of its calls: Redis did it, and the process never heard of it. */
class TransferCrashesIT {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int JOBS = 120;
    private static final int MOST_CALLS = 200;

    /** In each build the process dies after each fourth call, in the proof after each. */
    private static final int ONE_IN = 4;

    @AutoClose
    static final TransferBed bed = new TransferBed();

    @Test
    void anotherProcessGoesOnAfterCrashes() {
        goesOn(ONE_IN);
    }

    @LongTest
    @Test
    void anotherProcessGoesOnAfterEachCrash() {
        goesOn(1);
    }

    private void goesOn(int oneIn) {
        int crashes = crashAfterCalls(oneIn, transfer -> transfer.run(LONG), () -> {
            try (QueueTransfer next = bed.transfer()) {
                assertThat(next.run(LONG).isEmpty()).isTrue();
                assertThat(next.finish().movedJobs()).isEqualTo(JOBS + 2);
            }
            assertThat(bed.queue(TARGET)).containsExactly(names("j", JOBS));
            assertThat(bed.all("")).isEmpty();
        });
        assertThat(crashes).isGreaterThan(15);
    }

    @LongTest
    @Test
    void anotherProcessAbandonsAfterCrashes() {
        abandons(ONE_IN);
    }

    @LongTest
    @Test
    void anotherProcessAbandonsAfterEachCrash() {
        abandons(1);
    }

    private void abandons(int oneIn) {
        int crashes = crashAfterCalls(oneIn, transfer -> transfer.run(LONG), () -> {
            try (QueueTransfer next = bed.transfer()) {
                next.abandon();
            }
        });
        assertThat(crashes).isGreaterThan(15);
    }

    @LongTest
    @Test
    void anotherProcessGoesOnAfterEachCrashOfAnEnd() {
        int crashes = crashAfterCalls(
                1,
                transfer -> {
                    bed.redis.texts().hset("jobs:outgoing:mail", "id", "t");
                    bed.redis.texts().hset("jobs:outgoing:mail", "number", "1");
                    bed.redis.texts().hset("jobs:outgoing:mail", "slice", "1:aa");
                    bed.redis.texts().sadd("jobs:outgoing", TransferBed.QUEUE);
                    bed.redis
                            .texts()
                            .rpush(
                                    "jobs:slice:mail",
                                    "queue \n" + bed.redis.texts().lpop("queue:mail"));
                    bed.redis.texts().hset(TARGET + "jobs:incoming", "t", "0: 0");
                    transfer.abandon();
                },
                () -> {
                    try (QueueTransfer next = bed.transfer()) {
                        next.abandon();
                    }
                    assertThat(bed.queue("")).containsExactly(names("j", JOBS));
                });
        assertThat(crashes).isGreaterThan(3);
    }

    /** Returns how many answers it takes to get through. */
    private static int crashAfterCalls(int oneIn, Consumer<QueueTransfer> dying, Runnable next) {
        for (int answers = 0; answers < MOST_CALLS; answers += oneIn) {
            bed.redis.flush();
            bed.push("", names("j", JOBS));
            bed.redis.texts().zadd("schedule", 1_900_000_000, text(job("s")));
            bed.redis.texts().zadd("retry", 1_900_000_000, text(job("r")));
            boolean died = dies(dying, answers);
            next.run();
            List<String> all = new ArrayList<>(bed.all(""));
            all.addAll(bed.all(TARGET));
            assertThat(all).as("after %s answers", answers).hasSize(JOBS + 2).doesNotHaveDuplicates();
            assertThat(bed.redis.texts().keys("jobs:*")).isEmpty();
            if (!died) {
                return answers;
            }
        }
        throw new AssertionError("It never got through");
    }

    private static boolean dies(Consumer<QueueTransfer> dying, int answers) {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port());
                QueueTransfer transfer = new QueueTransfer(
                        new Shard("a", bed.connections(proxy.port(), "", SHORT), "default"),
                        new Shard("b", bed.connections(proxy.port(), TARGET, SHORT), "default"),
                        TransferBed.QUEUE,
                        TransferOptions.standard().evenUnserved())) {
            proxy.cutAfter(answers);
            dying.accept(transfer);
            return false;
        } catch (JobStoreException e) {
            return true;
        }
    }
}
