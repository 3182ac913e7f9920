package dev.jobs.handover;

import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.handover.StandingCall.Stood;
import dev.jobs.handover.StandingCall.Waited;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim that stands in Redis until a job arrives. */
class StandingClaimCallIT {

    private static final Duration LONG = Duration.ofSeconds(30);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    @AutoClose
    private final RedisConnection connection =
            bed.redis.connections("", Duration.ofMinutes(1)).open("stand");

    private final StandingCall standing = over(connection);

    private Worker worker;

    private static StandingCall over(RedisConnection connection) {
        return StandingCall.of(new JobClaims(
                connection, bed.keys, ScriptTestBed.CLOCK, ScriptTestBed.LIMITS, ScriptTestBed.SUSPICIOUS));
    }

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
        standing.connect();
    }

    @AfterEach
    void grantAll() {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
    }

    private CompletableFuture<Stood> stand(long number, Duration atMost, String... queues) {
        return standing.stand(
                        new Request("one", 1, number, "m", 5, 0, List.of(queues), List.of(), ClaimGate.OPEN),
                        queues[0],
                        atMost)
                .toCompletableFuture();
    }

    private static Stood answer(CompletableFuture<Stood> call) throws Exception {
        return call.get(20, TimeUnit.SECONDS);
    }

    private static void awaitStanding(int count) {
        await().until(() -> bed.redis.texts().info("clients").contains("blocked_clients:" + count + "\r\n"));
    }

    @Test
    void claimsWhatIsPushedToItsQueueAndWhatWaitsInTheOthers() throws Exception {
        CompletableFuture<Stood> call = stand(1, LONG, "mail", "low");
        awaitStanding(1);
        bed.push("low", "l");
        assertThat(call).isNotDone();

        bed.push("mail", "a", "b");

        Stood stood = answer(call);
        assertThat(stood.waited()).isEqualTo(Waited.PUSHED);
        assertThat(payloads(stood.reply().claimed())).containsExactly("a", "b", "l");
        assertThat(stood.reply().claimed())
                .extracting(Claimed::token)
                .containsExactly("1:1:1:mail", "1:1:2:mail", "1:1:3:low");
        assertThat(bed.stored()).doesNotContainKeys("queue:mail", "queue:low");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void standsNotAtAQueueThatHasJobs() throws Exception {
        bed.push("mail", "a");

        assertThat(payloads(answer(stand(1, LONG, "mail")).reply().claimed())).containsExactly("a");
    }

    @Test
    void leavesAQueueAsItIs() throws Exception {
        bed.redis.texts().sadd("paused", "mail");
        bed.push("mail", "a", "b", "c");

        Stood stood = answer(stand(1, LONG, "mail"));

        assertThat(stood.waited()).isEqualTo(Waited.PUSHED);
        assertThat(stood.reply().claimed()).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("a", "b", "c");
    }

    @Test
    void looksWhenTheTimeIsOver() throws Exception {
        bed.push("low", "l");

        Stood stood = answer(stand(1, Duration.ofMillis(20), "mail", "low"));

        assertThat(stood.waited()).isEqualTo(Waited.TIMEOUT);
        assertThat(payloads(stood.reply().claimed())).containsExactly("l");
    }

    @Test
    void looksAtOnceAtAKeyThatIsNoQueue() throws Exception {
        bed.redis.texts().set("queue:mail", "no list");
        bed.push("low", "l");

        Stood stood = answer(stand(1, LONG, "mail", "low"));

        assertThat(stood.waited()).isEqualTo(Waited.REFUSED);
        assertThat(stood.reply().brokenQueues()).containsExactly("mail");
        assertThat(payloads(stood.reply().claimed())).containsExactly("l");
    }

    @Test
    void pollsAtOnceWhereBlockingIsDenied() throws Exception {
        bed.push("low", "l");
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.BLMOVE));

        Stood stood = answer(stand(1, LONG, "mail", "low"));

        assertThat(stood.waited()).isEqualTo(Waited.REFUSED);
        assertThat(payloads(stood.reply().claimed())).containsExactly("l");
    }

    @Test
    void twoThatStandAtOneQueueTakeAJobOnce() throws Exception {
        bed.worker("two").join();
        try (RedisConnection other = bed.redis.connections("").open("other")) {
            StandingCall others = over(other);
            others.connect();
            CompletableFuture<Stood> first = stand(1, LONG, "mail");
            awaitStanding(1);
            CompletableFuture<Stood> second = others.stand(
                            new Request("two", 1, 1, "m", 5, 0, List.of("mail"), List.of(), ClaimGate.OPEN),
                            "mail",
                            LONG)
                    .toCompletableFuture();
            awaitStanding(2);

            bed.push("mail", "a");

            assertThat(answer(first).waited()).isEqualTo(Waited.PUSHED);
            assertThat(answer(second).waited()).isEqualTo(Waited.PUSHED);
            assertThat(answer(first).reply().claimed().size()
                            + answer(second).reply().claimed().size())
                    .isEqualTo(1);
        }
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void claimsNothingOnceItsConnectionIsLost() {
        CompletableFuture<Stood> call = stand(1, LONG, "mail");
        awaitStanding(1);
        bed.redis
                .texts()
                .clientList()
                .lines()
                .filter(line -> line.contains(" name=stand "))
                .forEach(line -> bed.redis
                        .texts()
                        .clientKill(KillArgs.Builder.id(Long.parseLong(line.replaceAll("^id=(\\d+) .*", "$1")))));

        assertThat(call).failsWithin(Duration.ofSeconds(20));
        awaitStanding(0);
        bed.push("mail", "a");

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(payloads(worker.repeat(new Worker.Call(1, 1, 5, 0, List.of("mail"), List.of()))
                        .claimed()))
                .as("the same call over another connection")
                .containsExactly("a");
    }

    @Test
    void claimsNothingForALifeThatWasGivenUp() throws Exception {
        CompletableFuture<Stood> call = stand(1, LONG, "mail");
        awaitStanding(1);
        bed.redis.texts().zadd("jobs:beats", -1, "one");

        bed.push("mail", "a");

        assertThat(answer(call).reply().status()).isEqualTo(JobClaims.Status.FENCED);
        assertThat(bed.queue("mail")).containsExactly("a");
    }

    @Test
    void claimsNothingOnceItWasRepeatedWantingNothing() throws Exception {
        CompletableFuture<Stood> call = stand(1, LONG, "mail");
        awaitStanding(1);
        assertThat(worker.repeat(new Worker.Call(1, 1, 0, 0, List.of(), List.of()))
                        .claimed())
                .isEmpty();

        bed.push("mail", "a");

        assertThat(answer(call).reply().status()).isEqualTo(JobClaims.Status.REPLAY);
        assertThat(answer(call).reply().claimed()).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("a");
    }
}
