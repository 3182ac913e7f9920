package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The permit for a suspect, which all engines of a process share, while the Redis of one of them is away. */
class SuspectInAnOutageIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final String SUSPECT = EngineTestBed.payload("Note", "suspect", "[]");

    private RedisProxy proxy;
    private EngineTestBed bed;
    private ChoreTestBed process;
    private ClaimLine line;
    private HeldJobs held;

    @BeforeEach
    void open() {
        redis.flush();
        proxy = new RedisProxy(redis.port());
        bed = new EngineTestBed(redis, redis.connections("", proxy.port()));
        process = new ChoreTestBed(bed);
        process.pass(Duration.ofMinutes(1)); // a younger process takes no suspect
        held = new HeldJobs(
                new ThreadPools().join(bed.config.capsules().get(0), process.context, () -> {}),
                new IdleWait(process.context),
                CallBounds.STANDARD,
                process.context);
        line = new ClaimLine(
                bed.config.capsules().get(0),
                0,
                new JobClaims(
                        process.connection,
                        process.keys,
                        bed.environment.clock(),
                        new DeadSetBounds(100, Duration.ofDays(1)),
                        SuspectPermit.threshold(3)),
                new FetcherPauses(),
                process.context);
        redis.texts().zadd("jobs:beats", 1, "me");
        String hash =
                redis.texts().eval("return redis.sha1hex(ARGV[1])", ScriptOutputType.VALUE, new String[0], SUSPECT);
        redis.texts().hset("jobs:recovered", hash, "2");
        bed.push("default", SUSPECT);
        carryOut(line.next(process.lease.current(), List.of(), 0, 0, held, "", false))
                .join(); // Redis knows the script
    }

    @AfterEach
    void close() {
        process.close();
        bed.close();
        proxy.close();
    }

    private boolean othersMayTakeASuspect() {
        return process.context.suspectPermit().tryAcquire();
    }

    private Exchange next() {
        Exchange next = line.next(process.lease.current(), List.of(), 5, 0, held, "", false);
        assertThat(next.request().suspects()).isEqualTo(1);
        return next;
    }

    private CompletableFuture<Reply> carryOut(Exchange exchange) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        reply.complete(line.carryOut(exchange, () -> true));
                    } catch (Throwable e) {
                        reply.completeExceptionally(e);
                    }
                })
                .start();
        return reply;
    }

    @Test
    void withoutAnOutageTheExchangeKeepsThePermitForItsSuspect() {
        Exchange exchange = next();
        Claimed suspect = carryOut(exchange).join().claimed().get(0);
        assertThat(line.mayRun(exchange, suspect)).isTrue();
        assertThat(othersMayTakeASuspect()).isFalse();
    }

    @Test
    void whileRedisIsAwayOthersHaveThePermit() {
        proxy.refuse();
        Exchange exchange = next();
        CompletableFuture<Reply> reply = carryOut(exchange);
        await().until(this::othersMayTakeASuspect);

        proxy.admit();
        assertThat(reply.join().claimed())
                .as("a suspect, for which there is no permit")
                .isEmpty();
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
    }

    @Test
    void aSuspectOfAnExchangeWhoseAnswerWasLostRunsIfItIsTheOnlyOne() {
        Exchange exchange = next();
        proxy.loseAnswers(1, proxy::refuse);
        CompletableFuture<Reply> reply = carryOut(exchange);
        await().until(this::othersMayTakeASuspect);
        process.context.suspectPermit().release();

        proxy.admit();
        Claimed suspect = reply.join().claimed().get(0);
        assertThat(line.mayRun(exchange, suspect)).isTrue();
        assertThat(othersMayTakeASuspect()).isFalse();
        process.context.suspectPermit().release();
        assertThat(othersMayTakeASuspect()).isTrue();
    }

    @Test
    void aSuspectOfAnExchangeWhoseAnswerWasLostGoesBackIfAnotherRuns() {
        Exchange exchange = next();
        proxy.loseAnswers(1, proxy::refuse);
        CompletableFuture<Reply> reply = carryOut(exchange);
        await().until(this::othersMayTakeASuspect);

        proxy.admit();
        Claimed suspect = reply.join().claimed().get(0);
        assertThat(line.mayRun(exchange, suspect)).isFalse();
        process.context.suspectPermit().release(); // it has gone back
        assertThat(othersMayTakeASuspect()).as("the other one still runs").isFalse();
    }
}
