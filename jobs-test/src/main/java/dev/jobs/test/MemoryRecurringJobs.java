package dev.jobs.test;

import dev.jobs.ArgumentSeal;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ReadyJob;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.RubyTime;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.Declaration;
import dev.jobs.recurring.DeclaredChanges;
import dev.jobs.recurring.DueTimes;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobStore;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.store.JobPushes;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.UniqueRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Recurring jobs in memory, with the declared ones; fired when the test's clock reaches a slot. Thread-safe. */
final class MemoryRecurringJobs implements RecurringJobs {

    private static final int MOST_REMEMBERED = 10;
    private static final String NAMESPACE = "default";

    /**
     * @param last the time up to which nothing is made up for
     * @param runs the last firings, newest first
     * @param waiting slots that wait until the job of an earlier one has ended
     */
    private record Entry(RecurringJob job, Instant last, List<Run> runs, List<Instant> waiting) {

        Entry with(RecurringJob changed) {
            return new Entry(changed, last, runs, waiting);
        }

        Entry after(Instant slot) {
            return new Entry(job, slot, runs, waiting);
        }

        Entry waiting(List<Instant> slots) {
            return new Entry(job, last, runs, slots);
        }
    }

    /** A slot whose job a middleware could not admit, and when it is tried again. */
    private record Postponed(String name, Instant slot, Instant due) {}

    private final UnstoredJobs unstored;
    private final TestClock clock;
    private final PayloadTimes times;
    private final PayloadRules rules;
    private final RandomGenerator random;
    private final JobRegistry registry;
    private final ConfiguredSchedules configured;
    private final JobStore store;
    private final Supplier<JobHooks> hooks;
    private final Duration grace;

    // Guarded by this.
    private final Map<String, Entry> byName = new TreeMap<>();
    private final Map<String, RecurringJob> copies = new HashMap<>();
    private final List<Postponed> postponed = new ArrayList<>();

    /**
     * @param store takes the jobs of slots, which have no caller and wait for no transaction
     * @param grace how old a missed slot may be if its job says nothing
     */
    MemoryRecurringJobs(
            UnstoredJobs unstored,
            TestClock clock,
            ClientConfig config,
            RandomGenerator random,
            JobRegistry registry,
            ConfiguredSchedules configured,
            JobStore store,
            Supplier<JobHooks> hooks,
            Duration grace) {
        this.unstored = unstored;
        this.clock = clock;
        this.times = config.times();
        this.rules = new PayloadRules(config.maxPayload(), config.times());
        this.random = random;
        this.registry = registry;
        this.configured = configured;
        this.store = store;
        this.hooks = hooks;
        this.grace = grace;
        reset();
    }

    /** Leaves only the declared ones. */
    synchronized void reset() {
        byName.clear();
        copies.clear();
        postponed.clear();
        for (Declaration each : Declaration.all(registry, configured).recurring()) {
            Map<String, String> fields = each.fields(NAMESPACE);
            fields.putAll(each.marks("", null));
            store(each.name(), fields);
        }
    }

    @Override
    public RecurringJob save(String name, Recurrence recurrence, JobCall call) {
        return store(name, fields(name, recurrence, call));
    }

    @Override
    public boolean create(String name, Recurrence recurrence, JobCall call) {
        Map<String, String> fields = fields(name, recurrence, call);
        synchronized (this) {
            if (byName.containsKey(name)) {
                return false;
            }
            store(name, fields);
            return true;
        }
    }

    private Map<String, String> fields(String name, Recurrence recurrence, JobCall call) {
        if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidJobException(
                    "'name' must be 1 to 200 characters without control characters but was '" + name + "'");
        }
        RedisRecurringJobs.checkHasNoOptions(call);
        recurrence.schedule(); // before all else, since it may be wrong
        String queue = recurrence.queue();
        EnqueuedJob draft = unstored.of(queue == null ? call : call.queue(queue));
        checkHasNoLock(draft);
        checkNeedsNoKey(draft);
        return RecurringJobStore.fields(
                name, NAMESPACE, recurrence, draft.payload().without("enqueued_at"));
    }

    private synchronized RecurringJob store(String name, Map<String, String> changed) {
        Entry before = byName.get(name);
        Map<String, String> fields = new LinkedHashMap<>(Map.of("status", "enabled", "last_enqueue_time", ""));
        if (before != null) {
            fields.putAll(before.job().fields());
            fields.remove(RecurringJob.MISSED);
            fields.remove(RecurringJob.OVERLAP);
        }
        fields.putAll(changed);
        RecurringJob job = new RecurringJob(name, fields);
        if (before == null) {
            byName.put(name, new Entry(job, clock.instant(), List.of(), List.of()));
        } else if (before.job().cron().equals(job.cron())) {
            byName.put(name, before.with(job));
        } else {
            byName.put(name, new Entry(job, clock.instant(), before.runs(), List.of()));
        }
        return job;
    }

    /** As the real ones, which are stored with their arguments as they are. */
    private static void checkNeedsNoKey(EnqueuedJob draft) {
        if (ArgumentSeal.isSealed(draft.payload())) {
            ArgumentSeal.checkNeedsNone(
                    draft.payload().without(ArgumentSeal.MEMBER).with(ArgumentSeal.WANTED, true), "a recurring job");
        }
    }

    /** As the real ones, which store jobs without asking for locks. */
    private static void checkHasNoLock(EnqueuedJob draft) {
        boolean unique = JobLock.of(draft.payload()) != null;
        if (unique || Debounce.of(draft.payload()) != null) {
            throw new InvalidJobException("Could not enqueue job " + draft.name() + ": it is "
                    + (unique ? "unique" : "debounced")
                    + ", and a recurring job stores jobs without asking for locks; let that one enqueue it");
        }
    }

    /** The next slot of all; null if there is none. */
    synchronized @Nullable Instant next() {
        Instant earliest = null;
        for (Entry entry : byName.values()) {
            CronSchedule schedule = entry.job().schedule();
            if (schedule != null && entry.job().enabled()) {
                Instant slot = schedule.next(entry.last());
                earliest = earliest == null || slot.isBefore(earliest) ? slot : earliest;
            }
        }
        for (Postponed each : postponed) {
            earliest = earliest == null || each.due().isBefore(earliest) ? each.due() : earliest;
        }
        return earliest;
    }

    /** Fires those that have this slot, and those that were postponed up to then. */
    void fire(Instant slot) {
        firePostponed();
        List<String> due = new ArrayList<>();
        synchronized (this) {
            for (Entry entry : List.copyOf(byName.values())) {
                CronSchedule schedule = entry.job().schedule();
                if (schedule != null
                        && entry.job().enabled()
                        && schedule.next(entry.last()).equals(slot)) {
                    byName.put(entry.job().name(), entry.after(slot));
                    due.add(entry.job().name());
                }
            }
        }
        due.forEach(name -> fire(name, slot));
    }

    private void firePostponed() {
        List<Postponed> due;
        synchronized (this) {
            due = postponed.stream()
                    .filter(each -> !each.due().isAfter(clock.instant()))
                    .toList();
            postponed.removeAll(due);
            due = due.stream().filter(each -> isEnabled(each.name())).toList();
        }
        due.forEach(each -> fire(each.name(), each.slot()));
    }

    private synchronized boolean isEnabled(String name) {
        Entry entry = byName.get(name);
        return entry != null && entry.job().enabled();
    }

    private void fire(String name, Instant slot) {
        fire(name, slot, () -> letWait(name, slot));
    }

    /**
     * Fires a slot, or postpones it if a middleware fails.
     *
     * @param keptOut called if its job is refused, or another one has not ended
     * @return whether the job was stored
     */
    private boolean fire(String name, Instant slot, Runnable keptOut) {
        RecurringJob job = required(name);
        Payload payload = payload(job);
        Payload admitted;
        try {
            admitted = admitted(payload);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            synchronized (this) {
                postponed.add(new Postponed(name, slot, clock.instant().plus(MemoryEngine.POSTPONED)));
            }
            hooks.get().failed(e, "An enqueue middleware failed for a recurring job, which is tried again", payload);
            return false;
        }
        boolean stored = run(job, slot, admitted) != null;
        if (!stored) {
            keptOut.run();
        }
        return stored;
    }

    /** If slots of this one wait. A middleware may have kept out the job as well, which then sees it again. */
    private synchronized void letWait(String name, Instant slot) {
        byName.computeIfPresent(name, (same, entry) -> {
            if (entry.job().overlap() != Overlap.QUEUE) {
                return entry;
            }
            List<Instant> all = new ArrayList<>(entry.waiting());
            all.add(slot);
            int most = entry.job().missed() == Missed.ALL ? entry.job().mostMissed() : 1;
            return entry.waiting(List.copyOf(all.subList(Math.max(0, all.size() - most), all.size())));
        });
    }

    /** Fires the next of each that wait, if the jobs before have ended. Returns whether there were any. */
    boolean fireWaiting() {
        boolean fired = false;
        for (String name : names()) {
            Instant slot = takeWaiting(name);
            fired |= slot != null && fire(name, slot, () -> giveBack(name, slot));
        }
        return fired;
    }

    private synchronized List<String> names() {
        return List.copyOf(byName.keySet());
    }

    private synchronized @Nullable Instant takeWaiting(String name) {
        Entry entry = byName.get(name);
        if (entry == null || entry.waiting().isEmpty() || !entry.job().enabled()) {
            return null;
        }
        byName.put(
                name, entry.waiting(entry.waiting().subList(1, entry.waiting().size())));
        return entry.waiting().get(0);
    }

    private synchronized void giveBack(String name, Instant slot) {
        byName.computeIfPresent(name, (same, entry) -> {
            List<Instant> all = new ArrayList<>(List.of(slot));
            all.addAll(entry.waiting());
            return entry.waiting(List.copyOf(all));
        });
    }

    /** A job has ended: if it is one of a fixed delay, that begins. */
    synchronized void ended(Payload payload) {
        Object lock = payload.get(UniqueRule.LOCK);
        if (lock == null) {
            return;
        }
        for (Entry entry : List.copyOf(byName.values())) {
            CronSchedule schedule = entry.job().schedule();
            if (schedule != null
                    && schedule.isDelay()
                    && lock.equals(RecurringJobStore.locked(NAMESPACE, entry.job(), payload)
                            .get(UniqueRule.LOCK))) {
                byName.put(entry.job().name(), entry.after(clock.instant()));
            }
        }
    }

    /** Fires what is made up for after a time in which nothing was. */
    void fireMissed() {
        firePostponed();
        Instant now = clock.instant();
        Map<String, List<Instant>> due = new LinkedHashMap<>();
        synchronized (this) {
            for (Entry entry : List.copyOf(byName.values())) {
                CronSchedule schedule = entry.job().schedule();
                if (schedule != null && entry.job().enabled()) {
                    byName.put(entry.job().name(), entry.after(now));
                    due.put(
                            entry.job().name(),
                            DueTimes.of(entry.job(), schedule, entry.last(), now, grace).stream()
                                    .filter(slot -> slot.isAfter(entry.last()))
                                    .toList());
                }
            }
        }
        due.forEach((name, slots) -> slots.forEach(slot -> fire(name, slot)));
    }

    @Override
    public @Nullable String runNow(String name) {
        RecurringJob job = required(name);
        return run(job, clock.instant(), admitted(payload(job)));
    }

    private RecurringJob required(String name) {
        return find(name).orElseThrow(() -> new InvalidJobException("There is no recurring job " + name));
    }

    private Payload payload(RecurringJob job) {
        return job.payload(JobPushes.newJid(random), clock.instant(), times);
    }

    /** There is no call that middleware could follow: nothing is taken along. */
    private @Nullable Payload admitted(Payload payload) {
        return EnqueueMiddleware.apply(hooks.get().enqueueMiddleware(), payload);
    }

    /**
     * Stores a job at once, whatever the transaction of the thread, as a worker does.
     *
     * @param slot from which the job's time to expire counts
     * @param admitted the job; null if a middleware refused it
     */
    private @Nullable String run(RecurringJob job, Instant slot, @Nullable Payload admitted) {
        if (admitted == null) {
            return null;
        }
        Instant now = clock.instant();
        Payload plain = Expiry.set(admitted.without("at"), RubyTime.seconds(slot));
        boolean cancels = job.overlap() == Overlap.CANCEL;
        ReadyJob ready =
                rules.finish(rules.check(cancels ? plain : RecurringJobStore.locked(NAMESPACE, job, plain)), now);
        JobPushes.Sent sent = store.send(List.of(ready));
        if (!sent.await().isStored(0)) {
            return null;
        }
        String last = cancels ? last(job.name()) : null;
        if (last != null) {
            store.cancel(last, now);
        }
        remember(job.name(), new Run(ready.jid(), now));
        hooks.get().tell(listener -> listener.enqueued(ready.name(), ready.queue(), 1, false));
        sent.told();
        return ready.jid();
    }

    private @Nullable String last(String name) {
        List<Run> runs = history(name);
        return runs.isEmpty() ? null : runs.get(0).jid();
    }

    private synchronized void remember(String name, Run run) {
        byName.computeIfPresent(name, (same, entry) -> {
            List<Run> runs = new ArrayList<>(List.of(run));
            runs.addAll(entry.runs());
            return new Entry(
                    withField(entry.job(), "last_enqueue_time", RubyTime.withOffset(clock.instant())),
                    entry.last(),
                    runs.subList(0, Math.min(runs.size(), MOST_REMEMBERED)),
                    entry.waiting());
        });
    }

    private static RecurringJob withField(RecurringJob job, String field, String value) {
        Map<String, String> fields = new LinkedHashMap<>(job.fields());
        fields.put(field, value);
        return new RecurringJob(job.name(), fields);
    }

    @Override
    public synchronized List<RecurringJob> list() {
        return byName.values().stream().map(Entry::job).toList();
    }

    /** Each test is the first start. */
    @Override
    public List<DeclaredChanges> declaredChanges() {
        return List.of();
    }

    @Override
    public synchronized Optional<RecurringJob> find(String name) {
        return Optional.ofNullable(byName.get(name)).map(Entry::job);
    }

    @Override
    public synchronized List<Instant> next(RecurringJob job, int count) {
        Entry entry = byName.get(job.name());
        CronSchedule schedule = job.schedule();
        return schedule == null || !schedule.isDelay()
                ? job.next(clock.instant(), count)
                : List.of(schedule.next(entry == null ? clock.instant() : entry.last()));
    }

    @Override
    public synchronized List<Run> history(String name) {
        Entry entry = byName.get(name);
        return entry == null ? List.of() : List.copyOf(entry.runs());
    }

    @Override
    public boolean pause(String name) {
        return enable(name, "disabled");
    }

    @Override
    public boolean resume(String name) {
        return enable(name, "enabled");
    }

    private synchronized boolean enable(String name, String status) {
        Instant now = clock.instant();
        return byName.computeIfPresent(
                        name,
                        (same, entry) ->
                                new Entry(withField(entry.job(), "status", status), now, entry.runs(), List.of()))
                != null;
    }

    @Override
    public synchronized boolean delete(String name) {
        return byName.remove(name) != null;
    }

    @Override
    public synchronized @Nullable String keep(String name) {
        Entry entry = byName.get(name);
        if (entry == null) {
            return null;
        }
        String copy = JobPushes.newJid(random);
        copies.put(copy, entry.job());
        return copy;
    }

    @Override
    public synchronized boolean restore(String name, String copy) {
        RecurringJob before = copies.get(copy);
        if (before == null || !before.name().equals(name)) {
            return false;
        }
        Map<String, String> fields = new LinkedHashMap<>(before.fields());
        if (byName.containsKey(name)) {
            fields.keySet().removeAll(List.of("status", "last_enqueue_time"));
        }
        store(name, fields);
        return true;
    }
}
