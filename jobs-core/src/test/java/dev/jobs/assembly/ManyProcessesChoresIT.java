package dev.jobs.assembly;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.BatchChore;
import dev.jobs.batches.BatchPart;
import dev.jobs.batches.BatchRetention;
import dev.jobs.batches.BatchUpkeep;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.chores.Poller;
import dev.jobs.chores.PollerIT;
import dev.jobs.chores.Reaper;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.OnCall;
import dev.jobs.gauges.GaugeReadings;
import dev.jobs.handover.OnCallRoster;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimiterRule;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.LimiterStore.Room;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.SharedReading;
import dev.jobs.processes.UnservedQueues;
import dev.jobs.proof.LongTest;
import dev.jobs.results.JobReports;
import dev.jobs.results.ReportChore;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Loop;
import dev.jobs.versions.OtherWorkers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * What a process does by the clock, with metrics on, cancelled batches, a full limiter, jobs of another version, and no
 * job to claim: what it
 * costs Redis doesn't grow with the number of processes. Time is simulated, and commands are counted, those in scripts
 * included.
 */
class ManyProcessesChoresIT {

    private static final DeadSetBounds DEAD = new DeadSetBounds(100, Duration.ofDays(1));
    private static final int QUEUES = 20;
    private static final int CANCELLED = 500;
    private static final String GAUGES = "jobs:gauges:1";
    private static final String WORKERS = "jobs:workers:1";
    private static final String LIMITER = "jobs:limiter:concurrent:erp";

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final EngineTestBed bed = new EngineTestBed(redis);

    /** One thing that a process does now and then. */
    private static final class Chore {
        final Loop.Task task;
        long dueNanos;

        Chore(Loop.Task task) {
            this.task = task;
        }
    }

    /** A process with a running job of a batch, which holds a permit of a limiter and asks for another one each second. */
    private final class Process implements AutoCloseable {

        private final String identity;
        private final int all;
        private final ChoreTestBed process;
        private final ProcessLeases leases;
        private final ProcessRegistry registry;
        private final JobLimiters limiters;
        private final OnCallRoster calls;
        private final JobsAdmin admin;
        private final GaugeReadings gauges;
        private final UnservedQueues unserved;
        private final OtherWorkers others;
        private final List<Chore> chores = new ArrayList<>();
        private final ClaimedJob job;

        Process(int number, int all) {
            this.identity = "p" + number;
            this.all = all;
            process = new ChoreTestBed(bed, identity);
            leases = new ProcessLeases(
                            process.connection, process.keys, process.lease.timing(), DEAD, 3, EffectSource.NONE)
                    .standingFor(List.of("of all"));
            registry = new ProcessRegistry(process.connection, process.keys);
            limiters = new JobLimiters(process.connection, process.keys);
            calls = new OnCallRoster(process.connection, process.keys);
            admin = new JobsAdmin(bed.connections(), DEAD, JobHooks.none(), Clock.systemUTC());
            gauges = admin.gauges();
            JobQueues queues = new JobQueues(process.connection, process.keys);
            unserved = new UnservedQueues(queues, registry, process.context, List.of("default"));
            others = new OtherWorkers(
                    registry, SharedReading.ofWorkers(process.connection, process.keys), process.nanos::get);
            job = running(number);
            Poller poller = PollerIT.poller(process);
            JobSets sets = new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE);
            BatchChore batches = new BatchChore(
                    process.connection,
                    process.keys,
                    BatchRetention.defaults(),
                    sets,
                    process.context,
                    new CancelledBatches(),
                    () -> Stream.of(job));
            BatchUpkeep upkeep = new BatchUpkeep(process.connection, process.keys, process.context);
            ReportChore reports = new ReportChore(
                    new JobReports(process.connection, process.keys), process.context, () -> Stream.of(job));
            Reaper reaper = new Reaper(
                    leases,
                    new InFlightJobs(process.connection, process.keys),
                    process.context,
                    new Capsules(List.of(), process.context, (job, reason) -> {}),
                    new ClearedQueues(process.connection, process.keys, sets, bed.environment.random()));
            for (Loop.Task task : List.<Loop.Task>of(
                    this::beat,
                    this::publish,
                    poller::runOnce,
                    batches::runOnce,
                    upkeep::runOnce,
                    reports::runOnce,
                    () -> reap(reaper),
                    this::standBy,
                    this::readGauges,
                    this::askOthers,
                    this::useLimiter)) {
                chores.add(new Chore(task));
            }
        }

        private ClaimedJob running(int number) {
            String jid = String.format("%016x%08x", number, 1);
            ClaimedJob claimed = process.claimed(payload("Sells", jid, "[]", "\"jb\":1"));
            claimed.begin(process.context.nanos());
            new BatchPart(
                            BatchAccess.NONE,
                            new ArgumentMasking(JobRegistry.of(), List.of()),
                            new FailureHandling(
                                    JobHooks.none(),
                                    25,
                                    PayloadTimes.MILLISECONDS,
                                    process.context.environment().clock(),
                                    process.context.environment().random(),
                                    List.of()),
                            new CancelledBatches(),
                            process.context.environment().nanoTime(),
                            null)
                    .read(claimed);
            return claimed;
        }

        private Duration reap(Reaper reaper) throws InterruptedException {
            Duration pause = reaper.isWanted() ? reaper.runOnce() : Loop.UNTIL_WOKEN;
            return pause.equals(Loop.UNTIL_WOKEN) ? process.lease.timing().beat() : pause;
        }

        private Duration beat() {
            Duration beat = process.lease.timing().beat();
            boolean first = process.nanos.get() == 0;
            Duration lead = beat.multipliedBy(3);
            Alive alive = (Alive) (first ? leases.register(identity, lead) : leases.beat(identity, lead));
            process.beaten(alive.leader(), all);
            return beat;
        }

        private Duration publish() {
            registry.publish(
                    identity,
                    Map.of("info", "{\"queues\":[\"default\"]}", "busy", "1"),
                    new ProcessRegistry.Work(true, List.of(), Map.of("t", job.stored())));
            unserved.runOnce();
            return Duration.ofSeconds(2);
        }

        private Duration standBy() {
            return calls.ask(List.of("default"), identity, OnCall.Load.FREE).next();
        }

        private Duration readGauges() {
            assertThat(gauges.read()).isNotNull();
            return Duration.ofSeconds(5);
        }

        private Duration askOthers() {
            others.knowAnother("default", "Unknown", null);
            return Duration.ofSeconds(3);
        }

        private Duration useLimiter() {
            LimiterRule rule = new LimiterRule(Kind.CONCURRENT, "erp", all, 0);
            boolean first = process.nanos.get() == 0;
            if (first) {
                redis.texts().hset("jobs:in:" + identity, "0:1:1", "a job");
            }
            Room room = limiters.take(rule, 1, Duration.ZERO, true, new Permit(identity + "\n0:1:1\n" + first, null))
                    .room();
            assertThat(room).isEqualTo(first ? Room.GRANTED : Room.REFUSED);
            return Duration.ofSeconds(1);
        }

        void run() throws InterruptedException {
            for (Chore chore : chores) {
                if (chore.dueNanos <= process.nanos.get()) {
                    chore.dueNanos = process.nanos.get() + chore.task.runOnce().toNanos();
                }
            }
        }

        @Override
        public void close() {
            admin.close();
            process.close();
        }
    }

    /**
     * @param commands of one process in one second, on average
     * @param followers the same, of those that don't lead
     * @param cpuMicros processor time of Redis for one process and second
     */
    private record Cost(double commands, double followers, double cpuMicros) {}

    private Cost cost(int processes, int seconds) throws InterruptedException {
        redis.flush();
        for (int i = 0; i < QUEUES; i++) {
            redis.texts().sadd("queues", "q" + i);
            redis.texts().lpush("queue:q" + i, "{}");
            redis.texts().hset("jobs:limits", "d:limit" + i, "1");
        }
        redis.texts().sadd("paused", redis.texts().smembers("queues").toArray(String[]::new));
        for (int i = 0; i < CANCELLED; i++) {
            String id = String.format("%016x", 1_000_000 + i);
            redis.texts().zadd("jobs:batches:cancelled", 1, id);
            redis.texts().hset("jobs:batch:" + id, "changed", "1");
        }
        List<Process> all = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            all.add(new Process(i, processes));
        }
        for (Process each : all) { // scripts are loaded, and all know of all
            each.run();
        }
        long ofAll = 0;
        long ofFirst = 0;
        double cpu = cpuMicros();
        for (int second = 0; second < seconds; second++) {
            pass();
            for (Process each : all) {
                each.process.pass(Duration.ofSeconds(1));
            }
            long before = commands();
            all.get(0).run();
            long between = commands();
            for (Process each : all.subList(1, processes)) {
                each.run();
            }
            ofFirst += between - before;
            ofAll += commands() - before;
        }
        cpu = cpuMicros() - cpu;
        all.forEach(Process::close);
        double shares = (double) processes * seconds;
        return new Cost(
                ofAll / shares, (double) (ofAll - ofFirst) / Math.max(1, processes - 1) / seconds, cpu / shares);
    }

    /** A second goes by on Redis' clock, as far as chores compare with it. */
    private static void pass() {
        redis.texts().del("jobs:round");
        redis.texts().hincrby(GAUGES, "at", -1_000);
        redis.texts().hincrby(WORKERS, "at", -1_000);
        redis.texts().hincrby(LIMITER, "looked", -1_000_000);
    }

    private static long commands() {
        return redis.stat("stats", "total_commands_processed:(\\d+)");
    }

    private static double cpuMicros() {
        return redis.stat("cpu", "used_cpu_user:(\\d+)") * 1e6
                + redis.stat("cpu", "used_cpu_user:\\d+\\.(\\d{6})")
                + redis.stat("cpu", "used_cpu_sys:(\\d+)") * 1e6
                + redis.stat("cpu", "used_cpu_sys:\\d+\\.(\\d{6})");
    }

    private static void tell(int processes, Cost cost) {
        System.out.printf(
                Locale.ROOT,
                "%d processes: %.1f commands a second of each, %.1f of each that doesn't lead; %.0f us of Redis%n",
                processes,
                cost.commands(),
                cost.followers(),
                cost.cpuMicros());
    }

    @LongTest
    @Test
    void aProcessCostsNoMoreTheMoreProcessesThereAre() throws InterruptedException {
        costs(10, 4, 30);
    }

    @Test
    @LongTest
    void aProcessCostsTheSameWithHundreds() throws InterruptedException {
        List<Cost> costs = costs(60, 30, 300);
        assertThat(costs.get(2).cpuMicros()).isLessThan(1.2 * costs.get(0).cpuMicros());
    }

    /** Of one process, of some and of many. The many have no more commands each than the one, or as followers than some. */
    private List<Cost> costs(int seconds, int some, int many) throws InterruptedException {
        List<Cost> costs = new ArrayList<>();
        for (int processes : new int[] {1, some, many}) {
            Cost cost = cost(processes, seconds);
            tell(processes, cost);
            costs.add(cost);
        }
        assertThat(costs.get(2).commands()).isLessThan(1.2 * costs.get(0).commands());
        assertThat(costs.get(2).followers()).isLessThan(1.2 * costs.get(1).followers());
        return costs;
    }
}
