package dev.jobs.recurring;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.chores.PollInterval;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RubyTime;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.Doorbell.Bell;
import dev.jobs.leases.Lease;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.recurring.RecurringJobStore.Stored;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobPushes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the recurring jobs of a namespace: enqueues each of them once for each of its slots. Of the processes that fire
 * in the namespace the one that has its {@linkplain #role role} does so on time, and leads in what follows. All others
 * poll at intervals, in case none leads; Ruby's pollers may do it as well. The first to take a slot fires. "Now" is the
 * time on the clock of Redis.
 */
@Internal
public final class RecurringPoller {

    private static final Logger log = LoggerFactory.getLogger(RecurringPoller.class);

    /** How long the leader waits at most while the doorbell doesn't work, or for the end of a job, which rings none. */
    private static final Duration DEAF = Duration.ofSeconds(1);

    /** How long a slot is postponed when its job could not be pushed. */
    private static final long POSTPONED_SECONDS = 15;

    /**
     * How far ahead of the clock a stored time may be: Ruby stores times by the clocks of its machines. Slots wait for so
     * long after the clock was put back by no more.
     */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    /**
     * A slot that was handled.
     *
     * @param again when it may be tried again, by the engine's clock; null for never
     */
    private record Tried(Instant slot, @Nullable Long again) {}

    private final RecurringJobStore cron;
    private final Supplier<Snapshot> look;
    private final RecurringDeclarations declarations;
    private final JobRegistry registry;
    private final RunContext context;
    private final String role;
    private final Duration grace;
    private final LocalQueues queues;
    private final PollInterval pause;

    // Confined to its thread.
    private final Map<String, Tried> tried = new HashMap<>();
    private final Set<String> complained = new HashSet<>();

    /** Recurring jobs that could not be enqueued for their last slot. */
    private final Set<String> stuck = new HashSet<>();

    /** Recurring jobs of which a slot waits for the end of a job. */
    private final Set<String> awaited = new HashSet<>();

    /** Jobs, by the recurring job, because of which a slot was skipped. */
    private final Map<String, String> skippedFor = new HashMap<>();

    /** When all are looked at again, and when the next look at any is, unless a bell rings: by the engine's clock. */
    private long allAt;

    private long nextAt;

    private boolean tooMany;

    /** Recurring jobs that were paused at the last poll, and the time of that poll. */
    private final Map<String, Instant> paused = new HashMap<>();

    /**
     * @param look reads all recurring jobs and the time that counts as now, the clock of Redis
     * @param declarations stored before the first poll
     * @param config how late a slot may still be fired, and for which queues
     * @param interval how often each process polls on average
     */
    public RecurringPoller(
            RecurringJobStore cron,
            Supplier<Snapshot> look,
            RecurringDeclarations declarations,
            JobRegistry registry,
            RunContext context,
            RecurringConfig config,
            Duration interval) {
        this.cron = cron;
        this.look = look;
        this.declarations = declarations;
        this.registry = registry;
        this.context = context;
        this.role = role(config.namespace());
        this.grace = config.grace();
        this.queues = config.queues();
        this.pause = new PollInterval(context, this::leads, interval, DEAF);
    }

    /** What the process has that fires the recurring jobs of a namespace on time. */
    public static String role(String namespace) {
        return "recurring:" + namespace;
    }

    /** What rings in that process when one of them was stored, changed, fired or deleted. */
    public static Bell bell(RedisKeys keys, String namespace, Lease lease, Runnable rang) {
        return new Bell(
                RecurringKeys.prefix(keys),
                new RecurringKeys(keys, namespace)::isJob,
                () -> lease.has(role(namespace)),
                rang);
    }

    private boolean leads() {
        return context.lease().has(role);
    }

    /** Fires due slots. Returns how long until the next poll unless woken earlier. */
    public Duration runOnce() throws InterruptedException {
        if (!context.lease().current().isFresh()) {
            return PollInterval.AFTER_FAILURE;
        }
        try {
            Duration left = isOnlyWaiting() ? Duration.ofNanos(Math.max(0, allAt - context.nanos())) : lookAtAll();
            allAt = context.nanos() + left.toNanos();
            Duration next = awaits() && left.compareTo(DEAF) > 0 ? DEAF : left;
            nextAt = context.nanos() + next.toNanos();
            return next;
        } catch (JobStoreException e) {
            awaited.clear();
            context.outage().failed("recurring jobs", e);
            return PollInterval.AFTER_FAILURE;
        }
    }

    private boolean awaits() {
        return !awaited.isEmpty() && leads();
    }

    /** Whether nothing has happened since the last look: no bell rang, no slot came, and no job that one waits for ended. */
    private boolean isOnlyWaiting() {
        long now = context.nanos();
        return awaits()
                && now - nextAt >= 0
                && now - allAt < 0
                && cron.holders(awaited).size() == awaited.size();
    }

    private Duration lookAtAll() throws InterruptedException {
        declarations.declare();
        Snapshot snapshot = look();
        long looked = context.nanos();
        complainOfTooMany(snapshot.stored().size());
        Map<String, String> holders = cron.holders(mayWait(snapshot));
        awaited.clear();
        double earliest = Double.POSITIVE_INFINITY;
        for (Stored stored : snapshot.stored()) {
            RecurringJob job = stored.job();
            CronSchedule schedule = job.schedule();
            if (!job.enabled()) {
                paused.put(job.name(), snapshot.serverTime());
                passWhilePaused(job, snapshot.serverTime());
            } else if (schedule != null && schedule.isDelay()) {
                fireDelayed(job, schedule, snapshot.serverTime(), holders);
            } else if (schedule != null) {
                passPaused(job, schedule, snapshot.serverTime());
                fire(stored, schedule, snapshot.serverTime(), holders);
            } else {
                complain(job, "its cron text is not supported here, so only Ruby can fire it");
            }
            if (schedule != null) { // paused ones too, to know whether they were paused at their slot
                earliest =
                        Math.min(earliest, schedule.next(snapshot.serverTime()).getEpochSecond());
            }
        }
        List<String> names = snapshot.jobs().stream().map(RecurringJob::name).toList();
        tried.keySet().retainAll(names);
        stuck.retainAll(names);
        skippedFor.keySet().retainAll(names);
        paused.keySet().retainAll(names);
        context.outage().worked("recurring jobs");
        return pause.until(earliest, snapshot.serverTime().plusNanos(context.nanos() - looked));
    }

    private Snapshot look() {
        Snapshot seen = cron.withoutLaterSlots(look.get());
        return setBack(seen) ? cron.withoutLaterSlots(look.get()) : seen;
    }

    /**
     * If the clock was ahead and was put back: what was fired by it would keep all slots away until it is as late again.
     * Returns whether anything that is stored was set back.
     */
    private boolean setBack(Snapshot snapshot) {
        Instant now = snapshot.serverTime();
        Instant latest = now.plus(AHEAD);
        tried.values().removeIf(each -> each.slot().isAfter(latest));
        List<RecurringJob> back = new ArrayList<>();
        for (Stored stored : snapshot.stored()) {
            RecurringJob job = stored.job();
            CronSchedule schedule = job.schedule();
            if (schedule == null || schedule.isDelay() || !job.isAfter(latest)) {
                continue;
            }
            Instant taken = stored.lastSlot();
            // Redis may have forgotten, by the wrong clock, what was taken before.
            Instant slot = taken == null ? schedule.atOrBefore(now) : taken;
            if (cron.setBack(job, slot, latest, now)) {
                back.add(job);
            }
        }
        if (!back.isEmpty()) {
            log.warn(
                    "{} recurring jobs, {} among them, were fired at times that have not come: the clock of Redis was ahead, or"
                            + " that of a machine with Ruby is. They go on now; slots of the next 24 hours that were fired"
                            + " already are not fired again",
                    back.size(),
                    back.get(0));
        }
        return !back.isEmpty();
    }

    /** Recurring jobs of which a slot may have to wait for the end of a job, as far as that is known before their turn. */
    private Set<String> mayWait(Snapshot snapshot) {
        Set<String> names = new HashSet<>();
        for (RecurringJob job : snapshot.jobs()) {
            Instant due = job.due();
            boolean isDue = due == null || !due.isAfter(snapshot.serverTime());
            if (job.enabled() && (awaited.contains(job.name()) || isDelay(job) && isDue)) {
                names.add(job.name());
            }
        }
        return names;
    }

    private static boolean isDelay(RecurringJob job) {
        CronSchedule schedule = job.schedule();
        return schedule != null && schedule.isDelay();
    }

    /**
     * If the job was resumed, possibly by Ruby, which only writes the status: slots missed while it was paused are not
     * made up for. The leader polls at each slot, so only those up to its last poll were paused, and it stores that for
     * all processes. The others poll too rarely to know, and leave the rest to the leader.
     */
    private void passPaused(RecurringJob job, CronSchedule schedule, Instant now) {
        Instant seen = paused.remove(job.name());
        if (seen == null) {
            return;
        }
        boolean leads = leads();
        Instant last = schedule.atOrBefore(leads && seen.isBefore(now) ? seen : now);
        tried.put(job.name(), new Tried(last, null));
        if (leads) {
            cron.pass(job.name(), last);
            passTo(job, last);
        }
    }

    /** Decides the slots of a pause, so that the next leader takes none of them for missed, also if Ruby resumes the job. */
    private void passWhilePaused(RecurringJob job, Instant now) {
        CronSchedule schedule = job.schedule();
        if (schedule != null && leads()) {
            passTo(job, schedule.atOrBefore(now));
        }
    }

    private void passTo(RecurringJob job, Instant slot) {
        Instant passed = job.passed();
        if (passed != null && slot.isAfter(passed)) {
            cron.passTo(job.name(), slot);
        }
    }

    /** @param holders jobs that have not ended, by the names of some recurring jobs */
    private void fire(Stored stored, CronSchedule schedule, Instant now, Map<String, String> holders) {
        RecurringJob job = stored.job();
        for (Instant slot : due(stored, schedule, now)) {
            fireSafely(job, slot, now, holders.get(job.name()));
            if (job.passed() != null && !new Tried(slot, null).equals(tried.get(job.name()))) {
                return; // a slot that is fired decides all before it, so this one has to be first
            }
        }
    }

    private void fireSafely(RecurringJob job, Instant slot, Instant now, @Nullable String holder) {
        try {
            fire(job, slot, now, holder);
        } catch (JobStoreException e) {
            if (e.kind() != Kind.DENIED && e.kind() != Kind.OTHER) {
                throw e; // it is the same for all others
            }
            postpone(job, slot);
            cannotFire(job, slot, String.valueOf(e.getMessage()));
        } catch (JobsException e) {
            giveUp(job, slot);
            complain(job, "what is stored is not a job: " + e.getMessage());
        }
    }

    /** The delay begins when a process sees that there is no job any more, and anew after one that was revived. */
    private void fireDelayed(RecurringJob job, CronSchedule schedule, Instant now, Map<String, String> holders) {
        Instant due = job.due();
        if (due != null && due.isAfter(now)) {
            Instant latest = CronSchedule.ofStored(job.cron(), null).next(now);
            if (due.isAfter(latest)) {
                cron.forgetDue(job); // the clock was put back
            }
            return;
        }
        Tried before = tried.get(job.name());
        if (holders.containsKey(job.name())) {
            awaited.add(job.name());
            if (due != null) {
                cron.forgetDue(job);
            }
        } else if (due == null) {
            cron.due(job, schedule.next(now));
        } else if (before == null || !isPostponed(before)) {
            // Which slots were tried doesn't matter: if the clock was put back, a new one may be before them.
            fireSafely(job, due, now, null);
        }
    }

    /** The slots to fire now, the earliest first. */
    private List<Instant> due(Stored stored, CronSchedule schedule, Instant now) {
        RecurringJob job = stored.job();
        Tried before = tried.get(job.name());
        if (job.passed() != null && before != null && isPostponed(before)) {
            return List.of(); // as above
        }
        List<Instant> slots = DueTimes.of(job, schedule, decided(stored, now), now, grace);
        slots.removeIf(slot -> isTaken(stored, slot, now) || wasTried(job, slot));
        return slots;
    }

    /** The slot up to which all are decided, as far as is known. */
    private static @Nullable Instant decided(Stored stored, Instant now) {
        Instant taken = stored.lastSlot();
        Instant passed = RecurringJobStore.decided(stored.job(), now);
        boolean later = passed == null || taken != null && taken.isAfter(passed);
        // Of all of its slots, Ruby may have taken some: the script finds out which.
        return later && (passed == null || stored.job().missed() != Missed.ALL) ? taken : passed;
    }

    private static boolean isTaken(Stored stored, Instant slot, Instant now) {
        RecurringJob job = stored.job();
        if (job.missed() == Missed.ALL && job.passed() != null) {
            return false; // the script knows which are free
        }
        Instant enqueued = job.lastEnqueued();
        Instant taken = stored.lastSlot();
        // Between slots of seconds it may be later than one that is left, if the loop over them ended early.
        boolean isOfASlot = taken != null
                && !taken.isAfter(now)
                && Duration.between(taken, now).compareTo(DueTimes.HICCUP) <= 0;
        return slot.equals(taken) || !isOfASlot && enqueued != null && !enqueued.isBefore(slot);
    }

    private boolean wasTried(RecurringJob job, Instant slot) {
        Tried before = tried.get(job.name());
        return before != null && !before.slot().isBefore(slot) && (before.again() == null || isPostponed(before));
    }

    private boolean isPostponed(Tried before) {
        return before.again() != null && context.nanos() - before.again() < 0;
    }

    private void postpone(RecurringJob job, Instant slot) {
        tried.put(job.name(), new Tried(slot, context.nanos() + TimeUnit.SECONDS.toNanos(POSTPONED_SECONDS)));
    }

    /** Not to be tried again, except for a delay, which has no other slot. */
    private void giveUp(RecurringJob job, Instant slot) {
        if (isDelay(job)) {
            postpone(job, slot);
        } else {
            tried.put(job.name(), new Tried(slot, null));
        }
    }

    /** @param holder a job that had not ended when this look began; null if that is unknown */
    private void fire(RecurringJob job, Instant slot, Instant now, @Nullable String holder) {
        if (job.needsRuby(registry.find(job.job()).isPresent())) {
            giveUp(job, slot);
            complain(job, "it looks like a job that only Ruby can build, so it is left to Ruby");
            return;
        }
        if (overlaps(job, slot, holder)) {
            return;
        }
        Payload payload = job.payload(JobPushes.newJid(context.environment().random()), now, context.times());
        Payload admitted;
        try {
            admitted = EnqueueMiddleware.apply(context.hooks().enqueueMiddleware(), payload);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            postpone(job, slot);
            context.hooks()
                    .failed(e, "An enqueue middleware failed for a recurring job, which is tried again", payload);
            return;
        }
        if (isElsewhere(job, admitted)) {
            giveUp(job, slot);
            return;
        }
        Push push = admitted == null ? null : push(job, slot, admitted);
        switch (cron.fire(job, slot, now, push)) {
            case DONE -> {
                tried.put(job.name(), new Tried(slot, null));
                if (stuck.remove(job.name())) {
                    log.info("{} can be enqueued again", job);
                }
                skippedFor.remove(job.name());
                told(job, admitted, push);
            }
            case TAKEN -> {
                tried.put(job.name(), new Tried(slot, null));
                if (isDelay(job)) {
                    cron.forgetDue(job); // it would be taken for ever
                }
            }
            case OVERLAPS -> log.debug("Another job of {} was enqueued just now", job); // so it is looked at again
            case CHANGED -> log.debug("{} was changed while it was about to be fired", job);
            case WRONG_TYPE -> {
                postpone(job, slot);
                cannotFire(
                        job,
                        slot,
                        "the key of its slots or of queue " + (push == null ? "" : OneLine.of(push.queue()))
                                + " holds a wrong type");
            }
        }
    }

    /** Whether a slot has to wait for the job of an earlier one, or passes because of it. */
    private boolean overlaps(RecurringJob job, Instant slot, @Nullable String known) {
        if (job.overlap() != Overlap.SKIP && job.overlap() != Overlap.QUEUE) {
            return false;
        }
        String holder = known == null ? cron.holder(job.name()) : known;
        if (holder == null) {
            return false;
        }
        if (job.overlap() == Overlap.SKIP) {
            if (cron.pass(job.name(), slot) && !holder.equals(skippedFor.put(job.name(), holder))) {
                log.info(
                        "{} is not enqueued for {} and later slots until its job {} has ended",
                        job,
                        slot,
                        OneLine.of(holder));
            }
            passTo(job, slot);
            tried.put(job.name(), new Tried(slot, null));
        } else {
            awaited.add(job.name());
        }
        return true;
    }

    /** Logs it once, until the job can be enqueued again. */
    private void cannotFire(RecurringJob job, Instant slot, String reason) {
        if (stuck.add(job.name())) {
            log.error(
                    "{} can't be enqueued for {}, and is tried again every {} s: {}",
                    job,
                    slot,
                    POSTPONED_SECONDS,
                    reason);
        }
    }

    /** Nobody would take the job out of a queue that is in another shard. */
    private boolean isElsewhere(RecurringJob job, @Nullable Payload admitted) {
        String queue = admitted == null ? null : admitted.queue();
        if (queue == null || queues.holds(queue)) {
            return false;
        }
        complain(
                job,
                "it is stored in shard '" + queues.shard() + "', and its queue '" + OneLine.of(queue) + "' is "
                        + queues.whereIs(queue)
                        + "; delete it here, and save it with the RecurringJobs of that shard");
        return true;
    }

    private Push push(RecurringJob job, Instant slot, Payload admitted) {
        String queue = admitted.queue();
        String name = admitted.name();
        if (name == null || name.isBlank() || !admitted.hasArgsArray() || !RedisKeys.isQueueName(queue)) {
            throw new JobsException("Recurring job " + OneLine.of(job.name())
                    + " would have no text 'class', no array 'args' or no usable 'queue'");
        }
        Payload ready =
                Expiry.set(admitted, RubyTime.seconds(slot)).without("at").with("enqueued_at", context.now());
        ready = cron.locked(job, ready);
        return new Push(Objects.requireNonNull(queue), ready.bytes(), ready.jid());
    }

    private void told(RecurringJob job, @Nullable Payload admitted, @Nullable Push push) {
        if (admitted == null || push == null) {
            log.info("An enqueue middleware kept {} from its queue; this slot passes without a job", job);
            return;
        }
        context.hooks().tell(listener -> listener.enqueued(String.valueOf(admitted.name()), push.queue(), 1, false));
    }

    /** Those that aren't read never fire, so somebody has to know. Each process logs it once. */
    private void complainOfTooMany(int read) {
        if (read < RecurringJobStore.MOST) {
            tooMany = false;
        } else if (!tooMany) {
            tooMany = true;
            log.error(
                    "There are {} recurring jobs or more, and no more than that are read: any others are never fired. Delete some; "
                            + "one recurring job can enqueue a job for each of many things",
                    read);
        }
    }

    /** Logs once what is wrong with a recurring job as it is stored now. */
    private void complain(RecurringJob job, String what) {
        if (complained.size() > 1_000) {
            complained.clear();
        }
        if (complained.add(job.name() + "\n" + job.cron() + "\n" + job.text("message"))) {
            log.warn("{} is not fired: {}", job, what);
        }
    }
}
