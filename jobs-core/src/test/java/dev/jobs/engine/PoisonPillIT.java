package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Poisoned;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.Settlement;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A pill among ten thousand good jobs, on three processes that die every few seconds, before most of their jobs end.
 * Claims and reaping are real; processes and their time are simulated.
 */
class PoisonPillIT {

    private static final int GOOD_JOBS = 10_000;
    private static final int PROCESSES = 3;
    private static final int CONCURRENCY = 10;
    private static final int MAX_RECOVERIES = 3;
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int CRASH_LOOP_SECONDS = 600;
    private static final int NEVER = Integer.MAX_VALUE;

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open("jobs-test");

    private final DeadSetBounds dead = new DeadSetBounds(100_000, Duration.ofDays(1));
    private final JobClaims claims = new JobClaims(
            connection, connections.keys(), Clock.systemUTC(), dead, SuspectPermit.threshold(MAX_RECOVERIES));
    private final ProcessLeases leases = new ProcessLeases(
            connection, connections.keys(), new Timing(LEASE), dead, MAX_RECOVERIES, EffectSource.NONE);
    private final Random random = new Random(7);
    private final List<Process> living = new ArrayList<>();
    private final List<Process> deceased = new ArrayList<>();
    private final List<String> buried = new ArrayList<>();
    private final Set<String> done = new HashSet<>();

    private int now;
    private int births;

    private record Running(Claimed job, int ends) {}

    /** Takes jobs each second, and settles those that ended. */
    private final class Process {

        private final String id = "p" + births++;
        private final SuspectPermit suspectPermit = new SuspectPermit(
                MAX_RECOVERIES, LEASE, () -> Duration.ofSeconds(now).toNanos(), new AtomicInteger());
        private final List<Running> running = new ArrayList<>();
        private final int dies;
        private int died;
        private int number;

        Process(int life) {
            this.dies = life == NEVER ? NEVER : now + life;
            redis.texts().zadd("jobs:beats", 1, id);
        }

        boolean lives() {
            List<Settlement> ended = new ArrayList<>();
            for (Iterator<Running> all = running.iterator(); all.hasNext(); ) {
                Running each = all.next();
                if (each.ends() <= now) {
                    ended.add(Settlement.done(each.job().token()));
                    done.add(text(each.job().payload()));
                    all.remove();
                    if (suspectPermit.isSuspect(each.job().recoveries())) {
                        suspectPermit.release();
                    }
                }
            }
            boolean suspect = suspectPermit.tryAcquire();
            number++;
            Reply reply = claims.exchange(new JobClaims.Request(
                    id,
                    0,
                    number,
                    "m",
                    CONCURRENCY - running.size(),
                    suspect ? 1 : 0,
                    List.of("default"),
                    ended,
                    ClaimGate.OPEN));
            boolean pill = false;
            boolean took = false;
            for (Claimed job : reply.claimed()) {
                running.add(new Running(job, now + 1 + random.nextInt(8)));
                pill |= text(job.payload()).contains("pill");
                took |= suspectPermit.isSuspect(job.recoveries());
            }
            if (suspect && !took) {
                suspectPermit.release();
            }
            died = now;
            return !pill && now < dies;
        }
    }

    private static String text(byte[] payload) {
        return new String(payload, UTF_8);
    }

    @BeforeEach
    void enqueue() {
        redis.flush();
        String[] jobs = IntStream.range(0, GOOD_JOBS)
                .mapToObj(i -> i == 50 ? "{\"jid\":\"pill\"}" : "{\"jid\":\"good" + i + "\"}")
                .toArray(String[]::new);
        redis.texts().lpush("queue:default", jobs);
        redis.texts().lpush("queue:default", "{\"jid\":\"good50\"}");
    }

    private void second(int life) {
        now++;
        while (living.size() < PROCESSES) {
            living.add(new Process(life == NEVER ? NEVER : 1 + random.nextInt(life)));
        }
        for (Process process : List.copyOf(living)) {
            if (!process.lives()) {
                living.remove(process);
                deceased.add(process);
            }
        }
        deceased.removeIf(process -> now - process.died > LEASE.toSeconds() && reap(process.id));
    }

    private boolean reap(String victim) {
        redis.texts().zadd("jobs:beats", -1, victim);
        Reaped reaped;
        do {
            reaped = leases.reap(victim);
            reaped.poisoned().stream()
                    .map(Poisoned::payload)
                    .map(PoisonPillIT::text)
                    .forEach(buried::add);
        } while (!reaped.finished());
        return true;
    }

    @Test
    @LongTest
    void onlyThePillIsBuriedThoughProcessesDieSoonerThanTheirJobsEnd() {
        while (now < CRASH_LOOP_SECONDS) {
            second(5);
        }
        assertThat(births).as("processes that died").isGreaterThan(300);
        assertThat(done).as("jobs that finished nevertheless").isNotEmpty();
        while (done.size() + buried.size() < GOOD_JOBS + 1) {
            second(NEVER);
            assertThat(now).as("simulated seconds").isLessThan(20_000);
        }
        assertThat(buried).containsExactly("{\"jid\":\"pill\"}");
        Ledger.Totals books = new Ledger(connection, connections.keys()).read();
        assertThat(books.conservationError()).isZero();
        assertThat(books.poisoned()).isEqualTo(1);
    }
}
