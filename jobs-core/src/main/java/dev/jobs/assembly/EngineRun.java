package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.chores.LeaseRenewal;
import dev.jobs.chores.Reaper;
import dev.jobs.ends.CancelNews;
import dev.jobs.ends.Cancellations;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.ends.TimeWatch;
import dev.jobs.engine.Capsule;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.CapsuleWork;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobGate;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.RunContext;
import dev.jobs.engine.SuspectPermit;
import dev.jobs.engine.ThreadPools;
import dev.jobs.handover.Notifications;
import dev.jobs.handover.OnCallDuty;
import dev.jobs.handover.ServerWatch;
import dev.jobs.handover.StandingClaim;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.Incarnation.Host;
import dev.jobs.leases.JobRecoveries;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limits.LimitStates;
import dev.jobs.limits.LimitedJobs;
import dev.jobs.limits.Permits;
import dev.jobs.lists.BrokenKeys;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.metrics.DeployMarks;
import dev.jobs.metrics.ExecutionCounts;
import dev.jobs.metrics.JobMetrics;
import dev.jobs.metrics.MetricsReport;
import dev.jobs.processes.Heartbeat;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ThreadDump;
import dev.jobs.processes.UnservedQueues;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.threads.Deadline;
import dev.jobs.threads.Loop;
import dev.jobs.threads.OutOfMemoryNotice;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.Threads;
import dev.jobs.versions.JobShapes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of an engine, from start to stop: creates its parts, connects them, and ends them in the right order. */
@Internal
public final class EngineRun {

    private static final Logger log = LoggerFactory.getLogger(EngineRun.class);

    /** How long a stop waits for a group of threads. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    /**
     * How much longer a stop may take than the time for running jobs; an application that ends waits a little longer.
     */
    private static final Duration AFTERWARDS = Duration.ofSeconds(9);

    /** How long the reason is sent why a job ends the process. */
    private static final Duration FOR_A_REASON = Duration.ofSeconds(1);

    /** How long the doorbell's connection waits for an answer: it can be replaced at any time. */
    private static final Duration DEAF_AFTER = Duration.ofSeconds(1);

    /** How long the connection of standing claims waits for an answer; a claim stands for half as long. */
    private static final Duration STANDING = Duration.ofSeconds(2);

    private final RunContext context;
    private final ProcessLeases leases;
    private final ProcessRegistry registry;
    private final JobRecoveries recoveries;
    private final Capsules capsules;
    private final List<RedisConnection> connections = new ArrayList<>();
    private final Notifications notifications;
    private final Reaper reaper;
    private final Heartbeat heartbeat;
    private final MetricsReport metrics;
    private final UnservedQueues unservedQueues;
    private boolean jobsRehearsed; // confined to the heartbeat's thread
    private final TimeWatch times;
    private final Loop beating;
    private final Loop reaping;
    private final TimedLoops timers;
    private final Loop heartbeatLoop;
    private final Loop doorbellLoop;

    /**
     * @param current tells limiters which job a thread runs
     * @param pools the threads of the capsules
     * @param signals receives each signal that people send to this process
     */
    EngineRun(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry jobs,
            JobHooks hooks,
            EngineEnvironment environment,
            CurrentDelivery current,
            ThreadPools pools,
            Consumer<String> signals) {
        pools.check(config.capsules()); // before anything is opened
        Timing timing = new Timing(config.lease());
        Host host = Host.current();
        Lease lease = new Lease(() -> host.newIdentity(environment.random()), timing, environment.nanoTime());
        RedisKeys keys = redis.keys();
        LimitedJobs limited = new LimitedJobs(jobs, config.limits(), keys, BatchEffects::cancelledWith);
        List<JobGate> gates = new ArrayList<>(List.of(limited));
        config.features().forEach(each -> gates.addAll(each.gates(jobs, keys)));
        context = RunContext.of(
                environment,
                config.times(),
                hooks,
                JobGate.of(gates),
                RunParts.effects(keys, limited, config.features()),
                lease,
                config.maxRecoveries(),
                pools.suspects());
        ThreadGuard guard = context.guard();
        CancelledJobs cancelledJobs = new CancelledJobs();
        guard.says(new OutOfMemoryNotice<>(this::runningOn, this::blame));
        EffectSource allEffects = context.effects().all();
        RedisConnection work = open(redis.open("jobs-work"));
        RedisConnection chores = open(redis.open("jobs-chores"));
        RedisConnection beat = open(redis.open("jobs-beat", timing.lease().dividedBy(4)));
        recoveries = new JobRecoveries(chores, keys);
        JobSets sets = new JobSets(chores, keys, config.dead(), allEffects);
        JobQueues queues = new JobQueues(chores, keys);
        RunBasis basis =
                new RunBasis(chores, keys, config, jobs, context, cancelledJobs, new CancelledBatches(), this::held);
        timers = new TimedLoops(basis, limited, current);
        notifications = new Notifications(
                open(redis.open("jobs-doorbell", DEAF_AFTER)),
                keys,
                context,
                (doorbell, rings) ->
                        new ServerWatch(doorbell, chores, context, key -> isBroken(key, queues, sets), rings),
                timers,
                this::listenAtOnce);
        leases = new ProcessLeases(beat, keys, timing, config.dead(), config.maxRecoveries(), allEffects)
                .standingFor(timers.roles());
        registry = new ProcessRegistry(chores, keys);
        int suspicious = SuspectPermit.threshold(config.maxRecoveries());
        Function<RedisConnection, JobClaims> claimsOver =
                connection -> new JobClaims(connection, keys, environment.clock(), config.dead(), suspicious);
        JobClaims claims = claimsOver.apply(work);
        FailureHandling failureHandling = new FailureHandling(
                hooks,
                config.maxAttempts(),
                config.times(),
                environment.clock(),
                environment.random(),
                RunParts.notes());
        ExecutionCounts executions = new ExecutionCounts();
        times = new TimeWatch(config.timeouts(), context, this::replace);
        JobRunner runner = new JobRunner(
                jobs,
                hooks,
                failureHandling,
                environment.withOutOfMemory(guard::outOfMemory),
                RunParts.inRedis(basis, failureHandling, executions, current, times, notifications.yielding()));
        List<Capsule> built = new ArrayList<>();
        for (CapsuleConfig capsule : config.capsules()) {
            JobClaims standing = claimsOver.apply(open(redis.open("jobs-standing", STANDING)));
            int index = built.size();
            OnCallDuty duty = notifications.duty(capsule, index);
            Capsule added = new Capsule(
                    capsule,
                    index,
                    context,
                    claims,
                    (line, owner) -> new StandingClaim(capsule, line, standing, context, owner),
                    duty,
                    runner,
                    pools);
            notifications.add(capsule, duty, added.fetcher());
            built.add(added);
        }
        capsules = new Capsules(built, context, this::blame);
        reaper = new Reaper(
                new ProcessLeases(
                        chores,
                        keys,
                        timing,
                        config.dead(),
                        config.maxRecoveries(),
                        allEffects,
                        new Permits(chores, keys)::ofDead),
                new InFlightJobs(chores, keys),
                context,
                capsules,
                new ClearedQueues(chores, keys, sets, environment.random()));
        CancelNews cancelNews = new CancelNews(new Cancellations(chores, keys), cancelledJobs, capsules);
        LeaseRenewal renewal = new LeaseRenewal(
                leases,
                context,
                () -> !context.quiet().get(),
                () -> {
                    cancelNews.readAll(new Cancellations(beat, keys));
                    limited.queues().set(new LimitStates(beat, keys).queues());
                },
                this::answered,
                capsules::mayClaim);
        heartbeat = new Heartbeat(
                registry,
                context,
                config.capsules(),
                config.tag(),
                capsules,
                renewal,
                JobShapes.of(jobs),
                answer -> {
                    limited.queues().set(answer.limited());
                    cancelNews.heard(answer.cancelled());
                },
                signals);
        unservedQueues = new UnservedQueues(
                queues,
                registry,
                context,
                config.capsules().stream()
                        .flatMap(each -> each.queues().stream())
                        .toList());
        metrics = new MetricsReport(
                new JobMetrics(chores, keys), new DeployMarks(chores, keys), executions, context, config.deployLabel());
        beating = new Loop("jobs-beat", guard, renewal::runOnce);
        reaping = new Loop("jobs-reaper", guard, reaper::runOnce);
        heartbeatLoop = new Loop("jobs-heartbeat", guard, () -> show(runner));
        doorbellLoop = new Loop("jobs-doorbell", guard, this::listen);
    }

    public static boolean isBroken(BrokenKeys.Key key, JobQueues queues, JobSets sets) {
        return key.set() != null ? sets.isBroken(key.set()) : queues.isBroken(String.valueOf(key.queue()));
    }

    private RedisConnection open(RedisConnection connection) {
        connections.add(connection);
        return connection;
    }

    void start() {
        beating.start();
        capsules.start();
        timers.start();
        reaping.start();
        heartbeatLoop.start();
        doorbellLoop.start();
    }

    private Duration listen() {
        connections.forEach(RedisConnection::keepAlive);
        return notifications.runOnce();
    }

    private Duration show(JobRunner runner) {
        Duration pause = heartbeat.runOnce();
        if (!jobsRehearsed) {
            jobsRehearsed = true;
            runner.rehearse();
        }
        metrics.send();
        unservedQueues.runOnce();
        return pause;
    }

    private void answered(Alive alive) {
        reaper.reap(alive.reap());
        reaper.compare(alive.held());
        if (reaper.isWanted()) {
            reaping.wake();
        }
        timers.beaten();
        notifications.beaten();
    }

    private void replace(ClaimedJob job, Thread abandoned) {
        capsules.replace(job, abandoned);
    }

    private @Nullable ClaimedJob runningOn(Thread thread) {
        return held().filter(job -> job.runner() == thread).findFirst().orElse(null);
    }

    /** The job is about to end the process. */
    private void blame(ClaimedJob job, String reason) {
        recoveries.because(job.stored(), reason, context.environment().clock().instant(), FOR_A_REASON);
    }

    private Stream<ClaimedJob> held() {
        return capsules.jobs();
    }

    private void listenAtOnce() {
        doorbellLoop.wake();
    }

    /** Shows this process, and hears of signals and cancellations, at once rather than when that is due. */
    void showNow() {
        heartbeatLoop.wake();
    }

    /** Ends claiming, leadership and roles. */
    void quiet() {
        if (context.quiet().compareAndSet(false, true)) {
            capsules.quiet();
            beating.wake(); // resigns, so that another process times due jobs
            heartbeatLoop.wake();
            doorbellLoop.wake(); // is no longer on call
        }
    }

    /**
     * Stops everything that was started, and running jobs at the deadline. Others recover the jobs that Redis doesn't
     * take back. Takes at most {@link #AFTERWARDS} longer, and only while Redis doesn't answer or threads don't end.
     */
    void stop(Duration untilDeadline) {
        Deadline deadline = Deadline.in(untilDeadline);
        Deadline last = Deadline.in(untilDeadline.plus(AFTERWARDS));
        quiet();
        context.stopping().set(true);
        stop(last, timers.loops());
        capsules.stop(deadline, last);
        stop(last, List.of(times.loop(), doorbellLoop, heartbeatLoop, reaping, beating));
        leave(last);
        context.suspectPermit().end();
        notifications.close();
        connections.forEach(RedisConnection::close);
    }

    private static void stop(Deadline last, List<Loop> loops) {
        loops.forEach(Loop::end);
        Deadline grace = last.atMost(GRACE);
        loops.forEach(loop -> loop.stop(grace.left()));
    }

    /** Signs off, unless that takes too long: a call that hangs ends when its connection is closed. */
    private void leave(Deadline last) {
        Thread leaving = new Thread(context.guard().watched(this::leave), "jobs-leave");
        leaving.start();
        if (!Threads.join(leaving, last.atMost(GRACE).left())) {
            log.warn("Redis does not answer, so this process could not sign off. Others notice after its lease");
        }
    }

    private void leave() {
        String identity = context.lease().current().id();
        if (!context.lease().current().isRegistered() || context.outage().error() != null) {
            return; // others notice after the lease
        }
        notifications.leave();
        metrics.sendAll(); // what came since the last beat
        try {
            int held = leases.leave(identity);
            if (held > 0) {
                log.warn("{} jobs could not be handed back; other processes recover them", held);
            }
            registry.remove(identity);
        } catch (JobStoreException e) {
            log.warn("Could not sign off: {}. Other processes notice after its lease", e.getMessage());
        }
    }

    /** Writes the stacks of all threads to the log. */
    void dumpStacks() {
        new ThreadDump(capsules, context.environment().clock()).log();
    }

    List<CapsuleWork> work() {
        return capsules.work();
    }

    boolean isShut(String queue) {
        return context.gate().isShut(queue);
    }

    int untoldDeaths() {
        return capsules.untoldDeaths();
    }

    EngineHealth health(EngineHealth.State state, EngineConfig config) {
        Incarnation incarnation = context.lease().current();
        return new EngineHealth(
                state,
                incarnation.id(),
                incarnation.isFresh() && context.guard().lame() == null,
                incarnation.isRegistered() ? Duration.ofNanos(context.nanos() - incarnation.lastBeat()) : null,
                context.outage().error(),
                notifications.evictionPolicy(),
                context.lease().isLeader(),
                context.lease().processes(),
                capsules.busy(),
                config.concurrency(),
                context.abandoned().get(),
                context.hearsRings().get(),
                context.brokenKeys().all(),
                context.guard().lame());
    }
}
