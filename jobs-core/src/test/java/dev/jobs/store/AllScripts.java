package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.AllBatchScripts;
import dev.jobs.batches.BatchTestBed;
import dev.jobs.ends.Cancellations;
import dev.jobs.ends.ExpiringJobs;
import dev.jobs.engine.OnCall;
import dev.jobs.handover.OnCallRoster;
import dev.jobs.iterations.IterationStore;
import dev.jobs.iterations.IterationStore.Kept;
import dev.jobs.iterations.IterationStore.Progress;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimiterRule;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.limiters.LimiterStore.Room;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.limits.JobLimit;
import dev.jobs.limits.LimitKeys;
import dev.jobs.limits.LimitNumbers;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitStates;
import dev.jobs.limits.LostPermits;
import dev.jobs.limits.ParkedJobs;
import dev.jobs.limits.ParkedSweep;
import dev.jobs.limits.PermitEffects;
import dev.jobs.limits.Permits;
import dev.jobs.limits.QueueLimit;
import dev.jobs.limits.StartConditions;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.LostEffects;
import dev.jobs.metrics.DeployMarks;
import dev.jobs.metrics.DurationBuckets;
import dev.jobs.metrics.JobMetrics;
import dev.jobs.metrics.JobTimings;
import dev.jobs.ordered.AllOrderScripts;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ProcessRegistry.Signal;
import dev.jobs.processes.SharedReading;
import dev.jobs.recurring.DeclaredChanges;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobStore;
import dev.jobs.redis.Bytes;
import dev.jobs.results.JobReports;
import dev.jobs.results.JobResults;
import dev.jobs.results.ResultEffects;
import dev.jobs.results.ResultKeys;
import dev.jobs.store.JobPushes.Due;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.trash.JobTrash;
import dev.jobs.unique.JobLocks;
import dev.jobs.unique.LockEffects;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Calls every script, along every path that writes, on an initially empty Redis. */
public final class AllScripts {

    /** Calls the scripts of a module that is built on the core; a service of its tests. */
    public interface OfAnotherModule {

        void run(ScriptTestBed bed);
    }

    private final ScriptTestBed bed;
    private final TestPushes pushes;
    private final JobSets sets;
    private final ProcessRegistry registry;
    private final JobQueues queues;
    private final ClearedQueues clearing;
    private Worker one;
    private Worker two;

    private AllScripts(ScriptTestBed bed) {
        this.bed = bed;
        pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        sets = bed.sets();
        registry = new ProcessRegistry(bed.connection, bed.keys);
        queues = new JobQueues(bed.connection, bed.keys);
        clearing = bed.clearing(EffectSource.NONE);
    }

    /** @param between runs before each step */
    public static void run(ScriptTestBed bed, Runnable between) {
        AllScripts run = new AllScripts(bed);
        for (Runnable step : List.<Runnable>of(
                run::push,
                run::schedule,
                run::check,
                run::lock,
                run::useLimiters,
                run::register,
                run::call,
                run::claim,
                run::repeat,
                run::settle,
                run::limit,
                run::limitAQueue,
                run::limitByRate,
                run::leaveLimits,
                run::iterate,
                run::promote,
                run::move,
                run::recur,
                run::show,
                run::count,
                run::mark,
                run::readForAll,
                run::relay,
                run::giveUp,
                run::reap,
                run::leave,
                run::condemn,
                run::discard,
                run::clear,
                run::balance,
                run::report,
                run::loseEffects,
                run::batch,
                run::order,
                run::callOthers)) {
            between.run();
            step.run();
        }
    }

    private void push() {
        pushes.push(
                "mail", List.of(bytes("a"), bytes("b"), bytes("c"), bytes("d"), bytes("e"), bytes("f"), bytes("pill")));
        pushes.push("low", List.of(bytes("suspect"), bytes("x")));
        assertThat(queues.names()).containsExactlyInAnyOrder("mail", "low");
        assertThat(queues.sizes(List.of("mail", "low"))).isEqualTo(Map.of("mail", 7L, "low", 2L));
    }

    private void schedule() {
        pushes.schedule(List.of(new Due("1", bytes("s1")), new Due("2", bytes("s2")), new Due("3", bytes("s3"))));
        assertThat(sets.size(StoredSet.SCHEDULE)).isEqualTo(3);
    }

    private void check() {
        List<Check> once = List.of(
                new Check("limit", bytes(bed.key("limits")), List.of(bytes("g"), bytes("1"))),
                new Check("limit", bytes(bed.key("other")), List.of(bytes("g"), bytes("1"))));
        assertThat(pushes.sendPush("checked", List.of(bytes("1"), bytes("2")), List.of(once, once))
                        .await()
                        .refused())
                .containsOnlyKeys(1);
        assertThat(pushes.sendSchedule(List.of(new Due("1", bytes("s4"))), List.of(once))
                        .await()
                        .refused())
                .containsOnlyKeys(0);
        assertThat(clearing.clear("checked")).isEqualTo(1);
        assertThat(clearing.forget("checked")).isTrue();
    }

    /** A job that reports while it runs, and leaves a result; and one that is cleared before it runs. */
    private void report() {
        Payload job = Payload.of(
                Map.of("class", "A", "args", List.of(), "jid", "r1", "keep_result", 60, "reply_to", "client"));
        ResultEffects effects = new ResultEffects(bed.keys);
        JobReports reports = new JobReports(bed.connection, bed.keys);
        JobReports.Report news = new JobReports.Report("1 2 3", List.of("1 1 1 a"));
        JobResults results = new JobResults(bed.connection, bed.connection, bed.keys);
        results.noteUse();
        Worker worker = bed.worker("reporter").join();
        pushes.push("told", List.of(job.bytes(), job.with("jid", "r2").bytes()));
        String token = worker.takeOne("told").token();
        reports.note("reporter", List.of(new JobReports.Running(token, "r1", news)));
        List<Effect> end = new ArrayList<>(effects.of(job, bytes("{\"state\":\"done\"}")));
        end.add(JobReports.effect(new ResultKeys(bed.keys), "r1", news));
        worker.settle(Settlement.done(token).with(end));
        assertThat(reports.find("r1").lines()).containsExactly("1 1 1 a");
        assertThat(bed.clearing(effects).clear("told")).isEqualTo(1);
        assertThat(results.next("client")).containsExactly("r1", "r2");
        assertThat(results.find("r2")).isNotNull();
        assertThat(clearing.forget("told")).isTrue();
        bed.leases().leave("reporter");
    }

    private void conflict(JobLocks locks, LockEffects effects, Payload job) {
        for (Payload each : List.of(
                job.with("unique_conflict", "replace"),
                job.with("unique_conflict", "reject"),
                job.with("unique_until", "expiry").with("unique_conflict", "later"),
                job.without("unique_lock")
                        .with("debounce", "R")
                        .with("debounce_pause", 60)
                        .with("debounce_at_most", 60))) {
            for (String jid : List.of("l3", "l4")) {
                Payload one = each.with("jid", jid);
                pushes.sendSchedule(
                                List.of(new Due("4e9", one.bytes())), List.of(locks.checks(one, () -> Instant.EPOCH)))
                        .await();
            }
            List<byte[]> left = mine(StoredSet.SCHEDULE);
            assertThat(left).hasSizeBetween(1, 2); // one that is due later waits as well
            bed.sets(effects)
                    .move(StoredSet.SCHEDULE, left.stream().map(sets::delete).toList());
            assertThat(begin(locks, each)).isTrue();
            locks.find("R").ifPresent(held -> locks.release("R", held.holder()));
        }
        List<byte[]> buried = mine(StoredSet.DEAD);
        assertThat(buried).hasSize(1);
        sets.move(StoredSet.DEAD, buried.stream().map(sets::delete).toList());
    }

    /** Begins a job that a process holds. */
    private boolean begin(JobLocks locks, Payload job) {
        String held = new String(bed.keys.inFlight("holder"), UTF_8);
        bed.redis.texts().hset(held, "token", new String(job.bytes(), UTF_8));
        boolean may = locks.begin("holder", "token", job);
        bed.redis.texts().del(held);
        return may;
    }

    private List<byte[]> mine(StoredSet set) {
        return sets.lowest(set, 0, 100).stream()
                .map(JobSets.Entry::payload)
                .filter(payload -> new String(payload, UTF_8).matches(".*\"l[34]\".*"))
                .toList();
    }

    private void lock() {
        JobLocks locks = new JobLocks(bed.connection, bed.keys);
        LockEffects effects = new LockEffects(bed.keys);
        Payload job = Payload.of(Map.of(
                "class",
                "A",
                "args",
                List.of(),
                "jid",
                "l1",
                "unique_lock",
                "K",
                "unique_for",
                60,
                "unique_until",
                "start"));
        Payload other = job.with("jid", "l2").with("unique_lock", "L").with("unique_until", "success");
        locks.noteUse();
        pushes.sendPush(
                        "locked",
                        List.of(job.bytes(), other.bytes()),
                        List.of(locks.checks(job, () -> Instant.EPOCH), locks.checks(other, () -> Instant.EPOCH)))
                .await();
        assertThat(begin(locks, job)).isTrue();
        conflict(locks, effects, other.with("unique_lock", "R"));
        assertThat(locks.all(ScanBudget.standard()).items()).hasSize(1);
        assertThat(bed.clearing(effects).clear("locked")).isEqualTo(2);
        assertThat(locks.find("L")).isEmpty();
        assertThat(clearing.forget("locked")).isTrue();
    }

    private void useLimiters() {
        JobLimiters limiters = new JobLimiters(bed.connection, bed.keys);
        bed.redis.texts().hset(bed.key("jobs:in:gone"), "0:1:1:mail", "a job");
        for (Kind kind : Kind.values()) {
            LimiterRule rule = new LimiterRule(kind, "erp", 1, 3_600e6);
            Permit permit = kind == Kind.CONCURRENT ? new Permit("gone\n0:1:1:mail\n1", null) : null;
            Permit timed = kind == Kind.CONCURRENT ? new Permit("web", Duration.ofMinutes(1)) : null;
            assertThat(limiters.take(rule, 1, Duration.ZERO, true, permit).room())
                    .isEqualTo(Room.GRANTED);
            assertThat(limiters.take(rule, 1, Duration.ZERO, true, timed).room())
                    .isEqualTo(kind == Kind.CONCURRENT ? Room.GRANTED : Room.REFUSED);
            assertThat(limiters.take(rule, 1, Duration.ofHours(2), true, timed).room())
                    .isEqualTo(Room.ASK_AGAIN);
            assertThat(limiters.take(rule, 1, Duration.ZERO, true, timed).room())
                    .isEqualTo(Room.REFUSED);
            if (timed != null) {
                limiters.free(rule, timed, Duration.ofSeconds(1));
            }
            if (kind == Kind.POINTS) {
                limiters.correct(rule, 1);
                limiters.correct(rule, -1);
            }
            limiters.resize(kind, "erp", 2L);
            assertThat(limiters.find(kind, "erp").orElseThrow().size()).isEqualTo(2);
            limiters.resize(kind, "erp", null);
        }
        assertThat(limiters.all(ScanBudget.standard()).items()).hasSize(5);
        bed.redis.texts().del(bed.key("jobs:in:gone"));
        for (Kind kind : Kind.values()) {
            limiters.forget(kind, "erp");
        }
    }

    private void register() {
        one = bed.worker("one");
        two = bed.worker("two");
        assertThat(((Alive) one.leases.register("one", Duration.ofMinutes(5))).leader())
                .isEqualTo("one");
        assertThat(((Alive) two.leases.register("two", Duration.ofMinutes(5))).leader())
                .isEqualTo("one");
        Alive alive = (Alive) one.leases.standingFor(List.of("of all")).beat("one", Duration.ofSeconds(9));
        assertThat(alive.processes()).isEqualTo(2);
        assertThat(alive.roles()).containsExactly("of all");
    }

    private void call() {
        OnCallRoster calls = new OnCallRoster(bed.connection, bed.keys);
        for (String each : List.of("one 0", "two 0", "three 0")) {
            calls.ask(List.of("mail", "low"), each, OnCall.Load.BUSY);
        }
        assertThat(calls.ask(List.of("low", "mail"), "three 0", OnCall.Load.FREE))
                .isEqualTo(new OnCallRoster.Answer(true, 0));
        assertThat(calls.ask(List.of("low", "mail"), "three 0", OnCall.Load.GONE))
                .isEqualTo(new OnCallRoster.Answer(false, 0));
    }

    private void claim() {
        recovered("suspect", 2, 0);
        recovered("pill", 2, 0);
        recovered("forgotten", 1, 1_000_000);
        queues.pause("paused");
        assertThat(one.exchange(1, 5, 0, List.of("paused", "low"), List.of()).claimed())
                .hasSize(1);
        assertThat(one.take(6, "mail")).hasSize(6);
        assertThat(two.exchange(0, 10, 2, List.of("mail", "low"), List.of()).claimed())
                .hasSize(2);
    }

    private void recovered(String payload, int times, long secondsAgo) {
        bed.redis.texts().hset(bed.key("jobs:recovered"), ScriptTestBed.sha1(payload), Integer.toString(times));
        bed.redis.texts().zadd(bed.key("jobs:recovered:times"), bed.now() - secondsAgo, ScriptTestBed.sha1(payload));
    }

    private void repeat() {
        assertThat(two.repeat(two.last()).claimed()).hasSize(2);
        InFlightJobs inFlight = one.claims.over(InFlightJobs::new);
        assertThat(inFlight.find("one", inFlight.tokens("one"))).hasSize(7);
    }

    private void settle() {
        assertThat(one.settle(
                                Settlement.done("0:1:1:mail"),
                                Settlement.discarded("0:1:2:mail"),
                                Settlement.retried("0:1:3:mail", Duration.ZERO, bytes("c")),
                                Settlement.dead("0:1:4:mail", bytes("d"), true),
                                Settlement.handedBack("0:1:5:mail", "mail", true),
                                Settlement.interrupted("0:1:6:mail", "other", bytes("f")))
                        .moves())
                .containsExactly(1, 1, 1, 1, 1);
    }

    /** Jobs that must not be run: one replaces another one at its place, and one is cancelled while it is parked. */
    private void leaveLimits() {
        Permits permits = new Permits(bed.connection, bed.keys);
        JobLimit shop = new JobLimit("leaving", "", LimitNumbers.atOnce(1));
        permits.declare(Map.of("leaving", LimitNumbers.atOnce(1)));
        bed.redis.texts().hset(bed.key("jobs:twin:digest"), "jid", "v1");
        Cancellations cancellations = new Cancellations(bed.connection, bed.keys);
        for (String jid : List.of("v0", "v1", "v2", "v3")) {
            if (jid.equals("v2")) {
                bed.redis.texts().hset(bed.key("jobs:twin:digest"), Map.of("jid", "v2", "-v1", ""));
            }
            pushes.push("limited", List.of(bytes(jid)));
            String digest = jid.matches("v[12]") ? "digest" : null;
            permits.admit(
                    "one",
                    List.of(new Permits.Asking(
                            one.takeOne("limited").token(),
                            "limited",
                            1L,
                            List.of(shop),
                            new StartConditions(" e9000000000000000 j" + jid, digest),
                            List.of())));
            if (jid.equals("v2")) {
                assertThat(Bytes.text(one.takeOne("limited").payload())).isEqualTo("v1");
            }
        }
        cancellations.cancel("v3", Instant.now());
        ParkedSweep sweep = new ParkedSweep(bed.connection, bed.keys);
        sweep.begin();
        while (sweep.isUnderWay()) {
            sweep.step();
        }
        JobClaims.Claimed last = one.takeOne("limited");
        assertThat(Bytes.text(last.payload())).isEqualTo("v3");
        ExpiringJobs expiring = new ExpiringJobs(bed.connection, bed.keys);
        assertThat(expiring.begin("one", last.token(), Instant.MAX, bytes("v3")))
                .isTrue();
        List<Settlement> ends = bed.inFlight("one").keySet().stream()
                .filter(token -> token.endsWith(":limited"))
                .map(Settlement::skipped)
                .toList();
        one.settle(ends.toArray(Settlement[]::new));
        bed.redis
                .texts()
                .del(bed.key("jobs:parked:leaving"), bed.key("jobs:permits:leaving"), bed.key("jobs:cancelled"));
    }

    private void limit() {
        Permits permits = new Permits(bed.connection, bed.keys);
        PermitEffects effects = new PermitEffects(bed.keys);
        JobLimit shop = new JobLimit("shop", "5", LimitNumbers.atOnce(1));
        JobLimit all = new JobLimit("all", "", LimitNumbers.atOnce(1));
        permits.declare(Map.of("shop", LimitNumbers.atOnce(1)));
        pushes.push("limited", List.of(bytes("l1"), bytes("l2"), bytes("l3")));
        List<Permits.Asking> asking = one.take(3, "limited").stream()
                .map(job -> new Permits.Asking(
                        job.token(),
                        "limited",
                        1L,
                        Bytes.text(job.payload()).equals("l3") ? List.of(all, shop) : List.of(shop),
                        List.of()))
                .toList();
        assertThat(permits.admit("one", asking))
                .contains(List.of(Permits.Answer.ADMITTED, Permits.Answer.PARKED, Permits.Answer.PARKED));
        JobClaims.Claimed next = one.exchange(
                        0,
                        1,
                        0,
                        List.of("limited"),
                        List.of(Settlement.done(asking.get(0).token())
                                .with(effects.of("one", "limited", List.of(shop)))))
                .claimed()
                .get(0);
        assertThat(next.permit() != null).isTrue();
        assertThat(one.settle(Settlement.failed(next.token()).with(effects.of("one", "elsewhere", List.of(shop))))
                        .moves())
                .containsExactly(1);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.set("shop", LimitNumbers.atOnce(1))).isTrue();
        assertThat(states.reset("shop")).isTrue();
        assertThat(states.forget("shop")).isFalse();
        assertThat(states.read("shop", 10, null).keys())
                .containsExactly(new LimitStates.KeyState("5", 0, 1, 1, Duration.ZERO));
        ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
        parked.look(List.of(""), Instant.EPOCH);
        parked.look(List.of("shop\n5", "?"), Instant.EPOCH);
        JobClaims.Claimed last = one.takeOne("limited");
        assertThat(permits.admit(
                        "one", List.of(new Permits.Asking(last.token(), "limited", 1L, List.of(shop), List.of()))))
                .contains(List.of(Permits.Answer.ADMITTED));
        List<Effect> given = new ArrayList<>(effects.of("one", "limited", List.of(shop)));
        given.add(effects.start(shop, bytes("1"), bytes("0")));
        assertThat(one.settle(Settlement.done(last.token()).with(given)).moves())
                .containsExactly(1);
        assertThat(clearing.forget("limited")).isTrue();
    }

    /** A queue whose jobs are claimed with permits, given back in a claim and elsewhere, and swept. */
    private void limitAQueue() {
        PermitEffects effects = new PermitEffects(bed.keys);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        List<JobLimit> ofQueue = List.of(new JobLimit("queue:few", "", null));
        Worker worker = bed.worker("few").join();
        worker.limits.add(new QueueLimit("few", 1));
        pushes.push("few", List.of(bytes("f1"), bytes("f2"), bytes("f3")));
        JobClaims.Claimed first = worker.takeOne("few");
        JobClaims.Claimed next = worker.exchange(
                        0,
                        5,
                        1,
                        List.of("few"),
                        List.of(Settlement.done(first.token()).with(effects.of("few", "few", ofQueue))))
                .claimed()
                .get(0);
        worker.settle(Settlement.failed(next.token()).with(effects.of("few", "few", ofQueue)));
        assertThat(states.set("queue:few", LimitNumbers.atOnce(2))).isTrue();
        assertThat(states.queues()).containsExactly("few");
        assertThat(states.reset("queue:few")).isTrue();
        assertThat(worker.take(5, "few")).hasSize(1);
        bed.redis.texts().del(bed.key("jobs:in:few"));
        bed.redis.texts().zrem(bed.key("jobs:beats"), "few");
        bed.redis.texts().hdel(bed.key("jobs:seen"), "few");
        new ParkedJobs(bed.connection, bed.keys).look(List.of(""), Instant.EPOCH);
        assertThat(bed.members("jobs:permits:queue:few")).isEmpty();
        bed.redis.texts().hincrby(bed.key("jobs:ledger"), "claimed", -1); // the job that somebody deleted
        bed.redis.texts().del(bed.key("jobs:permitted:few"));
        assertThat(states.forget("queue:few")).isTrue();
        assertThat(clearing.forget("few")).isTrue();
    }

    private void limitByRate() {
        Permits permits = new Permits(bed.connection, bed.keys);
        PermitEffects effects = new PermitEffects(bed.keys);
        ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
        LimitNumbers slow = new LimitNumbers(1, new LimitRate(1, Duration.ofHours(1), 2));
        JobLimit api = new JobLimit("api", "", slow);
        permits.declare(Map.of("api", slow));
        pushes.push("rated", List.of(bytes("r1"), bytes("r2"), bytes("r3"), bytes("r4")));
        List<JobClaims.Claimed> jobs = one.take(4, "rated");
        assertThat(permits.admit(
                                "one",
                                jobs.stream()
                                        .map(job ->
                                                new Permits.Asking(job.token(), "rated", null, List.of(api), List.of()))
                                        .toList())
                        .orElseThrow())
                .startsWith(Permits.Answer.ADMITTED, Permits.Answer.PARKED);
        JobClaims.Claimed next = one.exchange(0, 1, 0, List.of("rated"), List.of(done(effects, jobs.get(0), api)))
                .claimed()
                .get(0);
        assertThat(next.permit()).isEqualTo("api\n");
        one.settle(done(effects, next, api));
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.next("api", "")).isPositive();
        parked.look(List.of(""), Instant.EPOCH);
        parked.look(List.of("api\n"), Instant.EPOCH);
        assertThat(states.set("api", new LimitNumbers(null, new LimitRate(1_000, Duration.ofMillis(1), 1_000))))
                .isTrue();
        parked.look(List.of(""), Instant.EPOCH);
        parked.look(List.of("api\n"), Instant.EPOCH);
        JobClaims.Claimed last = one.takeOne("rated");
        assertThat(permits.admit(
                        "one", List.of(new Permits.Asking(last.token(), "rated", null, List.of(api), List.of()))))
                .contains(List.of(Permits.Answer.ADMITTED));
        one.settle(Settlement.done(last.token()).with(effects.of("one", "elsewhere", List.of(api))));
        assertThat(states.reset("api")).isTrue();
        assertThat(sets.deleteParked(
                        new LimitKeys(bed.keys).parked("api"),
                        states.waiting("api", "", 0, 1).items().get(0).member(),
                        states.waiting("api", "", 0, 1).items().get(0).payload()))
                .isTrue();
        assertThat(states.forget("api")).isTrue();
        parked.look(List.of("", "api\n"), Instant.EPOCH);
        assertThat(clearing.forget("rated")).isTrue();
    }

    private static Settlement done(PermitEffects effects, JobClaims.Claimed job, JobLimit limit) {
        return Settlement.done(job.token()).with(effects.of("one", "rated", List.of(limit)));
    }

    private void relay() {
        OutboxPushes outbox = new OutboxPushes(bed.connection, bed.keys, Duration.ofSeconds(5));
        List<OutboxPushes.Relayed> jobs = List.of(
                new OutboxPushes.Relayed("relayed", null, bytes("o1")),
                new OutboxPushes.Relayed("relayed", "1900000000", bytes("o2")));
        assertThat(outbox.store("shop:0", 1, jobs)).isTrue();
        assertThat(outbox.store("shop:0", 1, jobs)).isFalse();
    }

    private void iterate() {
        IterationStore store = new IterationStore(bed.connection, bed.keys);
        pushes.push("long", List.of(bytes("i")));
        String token = one.takeOne("long").token();
        Progress progress = new Progress("j1", "one", token, 1, bytes("7"), Duration.ofSeconds(5));
        assertThat(store.flush(progress)).isEqualTo(Kept.KEPT);
        Cancellations cancellations = new Cancellations(bed.connection, bed.keys);
        assertThat(cancellations.cancel("j1", Instant.EPOCH)).isEqualTo(Instant.EPOCH);
        assertThat(store.flushPersistently(progress)).isEqualTo(Kept.CANCELLED);
        List<String> cancelled = new ArrayList<>();
        cancellations.read(0, cancelled::addAll);
        assertThat(cancelled).containsExactly("j1");
        assertThat(cancellations.forgetEnded(List.of("unknown"), Double.MAX_VALUE))
                .isZero();
        assertThat(one.settle(Settlement.done(token).with(cancellations.forget("j1")))
                        .moves())
                .containsExactly(1);
        assertThat(cancellations.count()).isZero();
        assertThat(store.find("j1")).isEmpty();
    }

    private void promote() {
        JobSets.Due due = sets.due(10);
        assertThat(due.retries()).hasSize(1);
        assertThat(due.scheduled()).hasSize(3);
        assertThat(sets.move(StoredSet.RETRY, List.of(sets.toQueue(bytes("c"), "mail", bytes("c")))))
                .containsExactly(1);
    }

    private void move() {
        assertThat(sets.move(
                        StoredSet.SCHEDULE,
                        List.of(
                                sets.toSet(bytes("s1"), StoredSet.RETRY, Instant.EPOCH, bytes("s1")),
                                sets.toDead(bytes("s2"), bytes("s2")),
                                sets.refuse(bytes("s3")))))
                .containsExactly(1, 1, 1);
        assertThat(sets.moveFromQueue("mail", List.of(sets.toDead(bytes("c"), bytes("c")))))
                .containsExactly(1);
        assertThat(sets.sizes()).isEqualTo(Map.of(StoredSet.SCHEDULE, 0L, StoredSet.RETRY, 1L, StoredSet.DEAD, 3L));
    }

    private void recur() {
        RecurringJobStore cron = new RecurringJobStore(bed.connection, bed.keys, "default");
        Payload draft = Payload.of(Map.of("class", "Nightly", "args", List.of(), "queue", "mail"));
        Recurrence recurrence = Recurrence.cron("30 2 * * * Europe/Berlin").missed(Missed.ALL);
        assertThat(cron.save("nightly", recurrence, draft, Map.of(RecurringJob.DECLARED_BY, "shop"), Instant.EPOCH))
                .isTrue();
        RecurringJob job = cron.snapshot().jobs().get(0);
        Instant autumn = Instant.parse("2035-10-28T00:30:00Z");
        RecurringJobStore.Push push = new RecurringJobStore.Push("reports", bytes("n"), "j");
        assertThat(cron.fire(job, autumn, autumn, push)).isEqualTo(RecurringJobStore.Fired.DONE);
        assertThat(cron.fire(job, autumn, autumn, push)).isEqualTo(RecurringJobStore.Fired.TAKEN);
        assertThat(cron.fire(job, null, autumn, null)).isEqualTo(RecurringJobStore.Fired.DONE);
        assertThat(clearing.clear("reports")).isEqualTo(1);
        assertThat(cron.history("nightly")).hasSize(1);
        assertThat(cron.enable("nightly", false, null)).isTrue();
        assertThat(cron.enable("nightly", true, Instant.EPOCH)).isTrue();
        cron.pass("nightly", autumn.plusSeconds(60));
        cron.passTo("nightly", autumn.plusSeconds(60));
        RecurringJob ahead = cron.find("nightly").orElseThrow();
        assertThat(cron.setBack(ahead, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH))
                .isTrue();
        assertThat(cron.deleteDeclared("nightly", "shop")).isTrue();
        Recurrence delay = Recurrence.delay(Duration.ofMinutes(1));
        assertThat(cron.save("often", delay, draft, Map.of(RecurringJob.DECLARED_BY, "shop"), Instant.EPOCH))
                .isTrue();
        cron.due(cron.find("often").orElseThrow(), autumn);
        assertThat(cron.delete("often")).isTrue();
        Recurrence cancelling = Recurrence.cron("@yearly").overlap(Overlap.CANCEL);
        cron.save("yearly", cancelling, draft, Map.of(), Instant.EPOCH);
        RecurringJob yearly = cron.find("yearly").orElseThrow();
        for (String jid : List.of("y1", "y2")) {
            RecurringJobStore.Push each = new RecurringJobStore.Push("reports", bytes("n"), jid);
            assertThat(cron.fire(yearly, null, autumn, each)).isEqualTo(RecurringJobStore.Fired.DONE);
        }
        assertThat(clearing.clear("reports")).isEqualTo(2);
        assertThat(cron.delete("yearly")).isTrue();
        cron.noteChanges(new DeclaredChanges("shop", autumn, List.of()));
        assertThat(cron.declared("e1", false)).isEqualTo(new RecurringJobStore.DeclarationMark("e1", 1));
        assertThat(cron.mark()).contains(new RecurringJobStore.DeclarationMark("e1", 1));
    }

    private void show() {
        registry.publish(
                "one", Map.of("info", "{}"), new ProcessRegistry.Work(true, List.of(), Map.of("t", bytes("w"))));
        assertThat(registry.signal("one", Signal.TSTP)).isTrue();
        assertThat(registry.publish(
                        "one", Map.of("busy", "0"), new ProcessRegistry.Work(false, List.of("t"), Map.of())))
                .satisfies(published -> {
                    assertThat(published.signal()).isEqualTo("TSTP");
                    assertThat(published.jobs()).isZero();
                });
        assertThat(registry.list()).hasSize(1);
        assertThat(registry.leader()).isEqualTo("one");
        registry.remove("one");
    }

    private void count() {
        long[] histogram = new long[DurationBuckets.COUNT];
        histogram[0] = 2;
        long[] times = new long[JobTimings.NUMBERS];
        times[JobTimings.WAITED] = 3;
        List<JobTimings.Timed> timed = List.of(JobTimings.Timed.queue("mail", times));
        assertThat(new JobMetrics(bed.connection, bed.keys)
                        .add("one", 1, Instant.EPOCH, List.of(new JobMetrics.Counted("Job", 1, 5, histogram)), timed))
                .isZero();
    }

    private void readForAll() {
        SharedReading shared = SharedReading.ofWorkers(bed.connection, bed.keys);
        assertThat(shared.last().mine()).isTrue();
        shared.store(bytes("{}"));
        assertThat(shared.last().mine()).isFalse();
    }

    private void mark() {
        assertThat(new DeployMarks(bed.connection, bed.keys).mark("v1", Instant.EPOCH))
                .isTrue();
    }

    private void giveUp() {
        for (int i = 0; i <= ProcessLeases.ROUNDS; i++) {
            bed.letARoundBeDue();
            one.leases.beat("one", Duration.ofSeconds(9));
        }
        assertThat(bed.leases().givenUp()).containsExactly("two");
    }

    private void reap() {
        assertThat(bed.leases().reap("two")).satisfies(reaped -> {
            assertThat(reaped.recovered() + reaped.poisoned().size()).isEqualTo(2);
            assertThat(reaped.finished()).isTrue();
        });
    }

    private void leave() {
        assertThat(one.leases.leave("one")).isEqualTo(1);
        assertThat(bed.leases().reap("one").finished()).isTrue();
        Worker three = bed.worker("three").join();
        assertThat(three.leases.standingFor(List.of("of all")).leave("three")).isZero();
    }

    private void condemn() {
        bed.redis.texts().hset(bed.key("jobs:in:stranger"), "0:1:1:mail", "z");
        assertThat(bed.condemnUnknown()).isEqualTo(1);
        assertThat(bed.leases().reap("stranger").recovered()).isEqualTo(1);
        bed.redis.texts().hincrby(bed.key("jobs:ledger"), "claimed", 1);
    }

    private void discard() {
        JobTrash trash = new JobTrash(
                bed.connection, bed.keys, new JobTrash.Bounds(3, 10_000, Duration.ofDays(1)), EffectSource.NONE);
        pushes.push("waste", List.of(bytes("1"), bytes("2"), bytes("3"), bytes("4")));
        assertThat(trash.add("waste", List.of(bytes("1"), bytes("2")), List.of(bytes(""), bytes("1")), "b", true)
                        .fates())
                .containsExactly(JobTrash.Fate.KEPT, JobTrash.Fate.KEPT);
        assertThat(trash.restore(trash.newest(Instant.now(), 0, 10).items())).containsExactly(1, 1);
        assertThat(trash.add("waste", List.of(bytes("4"), bytes("3")), List.of(bytes(""), bytes("")), "b", false)
                        .fates())
                .containsExactly(JobTrash.Fate.KEPT, JobTrash.Fate.KEPT);
        bed.redis.texts().zadd(bed.key("retry"), 7, "r");
        assertThat(sets.scan(StoredSet.RETRY, "r").next(EntryReader.FIRST, 10).found())
                .hasSize(1);
        assertThat(trash.add(StoredSet.RETRY, List.of(bytes("r")), "c").fates()).containsExactly(JobTrash.Fate.KEPT);
        assertThat(trash.restore(trash.newest(Instant.now(), 0, 1).items())).containsExactly(1);
        assertThat(sets.move(StoredSet.RETRY, List.of(sets.refuse(bytes("r"))))).containsExactly(1);
        assertThat(queues.states(List.of("waste")).get(0).next()).isEqualTo(bytes("1"));
        assertThat(clearing.forget("waste")).isFalse();
        assertThat(clearing.clear("waste")).isEqualTo(2);
        assertThat(clearing.forget("waste")).isTrue();
        assertThat(trash.empty()).isEqualTo(2);
    }

    private void clear() {
        assertThat(clearing.clear("other")).isEqualTo(1);
        bed.push("locked", "x", "y");
        bed.redis.texts().set(bed.key("lock"), "x");
        assertThat(bed.clearing(stored -> List.of(Effect.unlink(bytes(bed.key("lock")))))
                        .clear("locked"))
                .isEqualTo(2);
        assertThat(bed.redis.texts().exists(bed.key("lock"), bed.key("queue:locked")))
                .isZero();
    }

    private void balance() {
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        assertThat(bed.redis.texts().get(bed.key("stat:processed"))).isEqualTo("15");
    }

    private void loseEffects() {
        bed.redis.texts().rpush(bed.key("unique:lost"), "another type");
        Effect lock = new Effect("lock", bytes(bed.key("unique:lost")), "", List.of(bytes("j1"), Bytes.of(60_000)));
        bed.push("mail", "e");
        Worker worker = bed.worker("loser").join();
        worker.settle(Settlement.done(worker.takeOne("mail").token()).with(List.of(lock)));
        bed.redis.texts().del(bed.key("unique:lost"));
        assertThat(new LostEffects(bed.connection, bed.keys)
                        .makeAgain(Instant.EPOCH)
                        .made())
                .isEqualTo(1);
        bed.redis.texts().zadd(bed.key("jobs:permits:lost"), 0, "k\nloser\n0:9:9:mail");
        bed.redis.texts().hset(bed.key("jobs:limits"), "d:lost", "1");
        LostPermits permits = new LostPermits(bed.connection, bed.keys);
        permits.begin();
        long dropped = 0;
        while (!permits.isOver()) {
            dropped += permits.step();
        }
        assertThat(dropped).isEqualTo(1);
        bed.redis.texts().hdel(bed.key("jobs:limits"), "d:lost");
        assertThat(worker.leases.leave("loser")).isZero();
    }

    private void batch() {
        clearing.clear(BatchTestBed.QUEUE);
        new AllBatchScripts(bed).run();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void order() {
        new AllOrderScripts(bed).run();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void callOthers() {
        ServiceLoader.load(OfAnotherModule.class).forEach(each -> each.run(bed));
    }
}
