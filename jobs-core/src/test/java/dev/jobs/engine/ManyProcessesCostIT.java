package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.handover.Doorbell;
import dev.jobs.handover.Notifications;
import dev.jobs.handover.OnCallDuty;
import dev.jobs.handover.ServerWatch;
import dev.jobs.handover.StandingClaim;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.Settlement;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Loop;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What jobs and pushes cost Redis with 1, 30 and 300 idle processes. Of each process only the parts run that poll for
 * jobs and are notified of them, all in one JVM.
 */
class ManyProcessesCostIT {

    private static final Timing TIMING = new Timing(Duration.ofHours(1));
    private static final DeadSetBounds DEAD = new DeadSetBounds(100, Duration.ofDays(1));
    private static final CapsuleConfig CAPSULE = CapsuleConfig.of("default", 10, List.of("default", "low"));
    private static final int JOBS = 200;
    private static final int MINUTES = 2;

    /** The maximum number per second of polls by processes without notifications and of renewals of standing claims. */
    private static final int BY_THE_TIME = 60;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections("");
    private final RedisKeys keys = connections.keys();
    private final EngineEnvironment environment = EngineEnvironment.system();

    @AutoClose
    private final RedisConnection shared = connections.open("shared");

    private final ProcessLeases leases = new ProcessLeases(shared, keys, TIMING, DEAD, 3, EffectSource.NONE);
    private final JobClaims claims = claims(shared);
    private final ThreadGuard guard = new ThreadGuard(environment.outOfMemory());
    private final List<Idler> idlers = new ArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();

    private JobClaims claims(RedisConnection connection) {
        return new JobClaims(connection, keys, environment.clock(), DEAD, 2);
    }

    /** An idle process: registered for an hour, with everything that a job meets until it is handed to a thread. */
    private final class Idler {

        private final RunContext parts;
        private final RedisConnection listeningTo = connections.open("listening");
        private final RedisConnection standing = connections.open("standing");
        private final Notifications notifications;
        private final Loop hearing;
        private final Fetcher fetcher;
        private final HeldJobs held;
        private final Thread fetching;

        Idler(int number) {
            Lease lease = new Lease(() -> "idler" + number, TIMING, environment.nanoTime());
            parts = RunContext.of(
                    environment,
                    PayloadTimes.MILLISECONDS,
                    JobHooks.none(),
                    EngineTestBed.unlimited(),
                    RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
                    lease,
                    3,
                    new AtomicInteger());
            Alive alive = (Alive) leases.register(lease.current().id(), Duration.ofHours(1));
            lease.beaten(lease.current(), environment.nanoTime().getAsLong(), alive);
            Doorbell.Listener timers = queue -> {};
            notifications = new Notifications(
                    listeningTo,
                    keys,
                    parts,
                    (doorbell, rings) -> new ServerWatch(doorbell, shared, parts, key -> false, rings),
                    timers,
                    this::listenAtOnce);
            hearing = new Loop("hearing-" + number, guard, notifications::runOnce);
            OnCallDuty duty = notifications.duty(CAPSULE, 0);
            IdleWait idleWait = new IdleWait(parts);
            held = new HeldJobs(
                    new ThreadPools().join(CAPSULE, parts, idleWait::wake), idleWait, CallBounds.STANDARD, parts);
            fetcher = new Fetcher(
                    CAPSULE,
                    0,
                    parts,
                    claims,
                    (line, owner) -> new StandingClaim(CAPSULE, line, claims(standing), parts, owner),
                    duty,
                    idleWait,
                    held);
            notifications.add(CAPSULE, duty, fetcher);
            fetching = new Thread(fetcher, "fetching-" + number);
        }

        private void listenAtOnce() {
            hearing.wake();
        }

        void start() {
            held.share().start(this::process);
            fetching.start();
            hearing.start();
        }

        private boolean process(ClaimedJob job) {
            if (job.begin(parts.nanos()) && job.finish()) {
                held.settle(job, Settlement.done(job.token()));
                settled.incrementAndGet();
            } else {
                held.ranInVain();
            }
            return true;
        }

        void end() {
            hearing.end();
            fetcher.end();
            held.share().leave();
        }

        void close() {
            Duration patience = Duration.ofMinutes(MINUTES);
            hearing.stop(patience);
            Threads.join(fetching, patience);
            held.share().threads().forEach(each -> Threads.join(each, patience));
            notifications.close();
            standing.close();
        }
    }

    @AfterEach
    void end() {
        idlers.forEach(Idler::end);
        idlers.forEach(Idler::close);
    }

    private static String microsPerCall(String command) {
        Matcher found = Pattern.compile("cmdstat_" + command + ":.*usec_per_call=([\\d.]+)")
                .matcher(redis.texts().info("commandstats"));
        return found.find() ? found.group(1) : "?";
    }

    /** Processes that were just started poll more often. */
    private static void awaitCalm() {
        AtomicLong seen = new AtomicLong(redis.calls("exists"));
        AtomicLong at = new AtomicLong(System.nanoTime());
        await().atMost(Duration.ofMinutes(MINUTES))
                .pollDelay(Duration.ofSeconds(1))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    long looks = redis.calls("exists");
                    long now = System.nanoTime();
                    double seconds = (now - at.getAndSet(now)) / 1e9;
                    return looks - seen.getAndSet(looks) < BY_THE_TIME * seconds;
                });
    }

    private void push(String queue, String id) {
        redis.texts().lpush("queue:" + queue, payload("Once", id, "[]"));
    }

    private void runOneByOne(String queue, int count) {
        for (int i = 1; i <= count; i++) {
            int expected = settled.get() + 1;
            push(queue, queue + i);
            await().atMost(Duration.ofMinutes(MINUTES))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> settled.get() == expected);
        }
    }

    @Test
    @LongTest
    void aJobCostsTheSameWithHundredsOfIdleProcesses() {
        aJobCostsTheSameCallsAndAPushTheSameMessagesHoweverManyProcessesAreIdle(300);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(ints = {1, 30})
    void aJobCostsTheSameCallsAndAPushTheSameMessagesHoweverManyProcessesAreIdle(int processes) {
        for (int i = 0; i < processes; i++) {
            idlers.add(new Idler(i));
        }
        idlers.forEach(Idler::start);
        int onCall = Math.min(processes, 2);
        await().atMost(Duration.ofMinutes(MINUTES))
                .until(() -> redis.stat("clients", "blocked_clients:(\\d+)") == onCall
                        && idlers.stream()
                                .allMatch(idler -> idler.parts.hearsRings().get()));
        runOneByOne("default", 20);
        // Capsules on call are notified of queues, the leader of the sets: at most two queues, two sets, recurring
        // jobs, batches, limits, and the probe.
        await().atMost(Duration.ofMinutes(MINUTES)).untilAsserted(() -> {
            assertThat(redis.stat("stats", "tracking_total_prefixes:(\\d+)")).isBetween(1L, 8L);
            assertThat(redis.stat("clients", "tracking_clients:(\\d+)")).isLessThanOrEqualTo(onCall + 1);
        });

        awaitCalm();
        redis.texts().configResetstat();
        long begin = System.nanoTime();
        runOneByOne("default", JOBS);
        double seconds = (System.nanoTime() - begin) / 1e9;
        long looks = redis.calls("exists"); // each claim that wants jobs makes one, for paused queues
        long waits = redis.calls("blmove");
        String micros = microsPerCall("lpush");
        double byTheTime = BY_THE_TIME * (1 + seconds);

        // Each process on call looks at most twice for a job: when it is notified, and before it waits again.
        assertThat(looks).isBetween((long) JOBS, (long) (2 * onCall * JOBS + byTheTime));
        assertThat(waits).isBetween(1L, (long) (onCall * JOBS + byTheTime));

        redis.texts().configResetstat();
        for (int i = 0; i < 1_000; i++) {
            redis.texts().set("unwatched", "1");
        }
        System.out.printf(
                Locale.ROOT,
                "%d processes: %.1f looks and %.1f waits for each job; %s us for a push, %s us for a SET of another key%n",
                processes,
                (double) looks / JOBS,
                (double) waits / JOBS,
                micros,
                microsPerCall("set"));

        runOneByOne("low", 20);
        assertThat(new Ledger(shared, keys).read().conservationError()).isZero();
    }
}
