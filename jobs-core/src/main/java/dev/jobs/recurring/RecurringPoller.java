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
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.recurring.RecurringJobStore.Stored;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobPushes;
import java.time.Duration;
import java.time.Instant;
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
 * Fires recurring jobs: enqueues each of them once for each of its slots. The leader does so on time, all others poll
 * at intervals, in case there is no leader; Ruby's pollers may do it as well. The first to take a slot fires. "Now" is
 * the time on the clock of Redis.
 */
@Internal
public final class RecurringPoller {

    private static final Logger log = LoggerFactory.getLogger(RecurringPoller.class);

    /** How long the leader waits at most while the doorbell doesn't work. */
    private static final Duration DEAF = Duration.ofSeconds(1);

    /** How long a slot is postponed when its job could not be pushed. */
    private static final long POSTPONED_SECONDS = 15;

    /** How long a taken slot is surely remembered, by any clock: it is for a day. */
    private static final Duration SURELY_REMEMBERED = Duration.ofHours(23);

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
    private final Duration grace;
    private final LocalQueues queues;
    private final PollInterval pause;

    // Confined to its thread.
    private final Map<String, Tried> tried = new HashMap<>();
    private final Set<String> complained = new HashSet<>();

    /** Recurring jobs that could not be enqueued for their last slot. */
    private final Set<String> stuck = new HashSet<>();

    /** Whether a slot waits for the end of a job, which rings no bell. */
    private boolean awaits;

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
        this.grace = config.grace();
        this.queues = config.queues();
        this.pause = new PollInterval(context, interval, DEAF);
    }

    /** What rings when a recurring job was stored, changed, fired or deleted. */
    public static Bell bell(RedisKeys keys, Runnable rang) {
        return new Bell(RecurringKeys.prefix(keys), RecurringKeys::isJob, rang);
    }

    /** Fires due slots. Returns how long until the next poll unless woken earlier. */
    public Duration runOnce() throws InterruptedException {
        if (!context.lease().current().isFresh()) {
            return PollInterval.AFTER_FAILURE;
        }
        try {
            declarations.declare();
            Snapshot snapshot = look.get();
            long looked = context.nanos();
            complainOfTooMany(snapshot.stored().size());
            awaits = false;
            double earliest = Double.POSITIVE_INFINITY;
            for (Stored stored : snapshot.stored()) {
                RecurringJob job = stored.job();
                CronSchedule schedule = job.schedule();
                if (!job.enabled()) {
                    paused.put(job.name(), snapshot.serverTime());
                    passWhilePaused(job, snapshot.serverTime());
                } else if (schedule != null && schedule.isDelay()) {
                    fireDelayed(job, schedule, snapshot.serverTime());
                } else if (schedule != null) {
                    passPaused(job, schedule, snapshot.serverTime());
                    fire(stored, schedule, snapshot.serverTime());
                } else {
                    complain(job, "its cron text is not supported here, so only Ruby can fire it");
                }
                if (schedule != null) { // paused ones too, to know whether they were paused at their slot
                    earliest = Math.min(
                            earliest, schedule.next(snapshot.serverTime()).getEpochSecond());
                }
            }
            List<String> names =
                    snapshot.jobs().stream().map(RecurringJob::name).toList();
            tried.keySet().retainAll(names);
            stuck.retainAll(names);
            paused.keySet().retainAll(names);
            context.outage().worked("recurring jobs");
            Duration next = pause.until(earliest, snapshot.serverTime().plusNanos(context.nanos() - looked));
            return awaits && context.lease().isLeader() && next.compareTo(DEAF) > 0 ? DEAF : next;
        } catch (JobStoreException e) {
            context.outage().failed("recurring jobs", e);
            return PollInterval.AFTER_FAILURE;
        }
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
        boolean leads = context.lease().isLeader();
        Instant last = schedule.atOrBefore(leads ? seen : now);
        tried.put(job.name(), new Tried(last, null));
        if (leads) {
            cron.pass(job.name(), last);
            passTo(job, last);
        }
    }

    /** So that they are not taken for missed, whoever resumes the job, and whoever leads then. */
    private void passWhilePaused(RecurringJob job, Instant now) {
        CronSchedule schedule = job.schedule();
        if (schedule != null && context.lease().isLeader()) {
            passTo(job, schedule.atOrBefore(now));
        }
    }

    private void passTo(RecurringJob job, Instant slot) {
        Instant passed = job.passed();
        if (passed != null && slot.isAfter(passed)) {
            cron.passTo(job.name(), slot);
        }
    }

    private void fire(Stored stored, CronSchedule schedule, Instant now) {
        RecurringJob job = stored.job();
        List<Instant> slots = due(stored, schedule, now);
        for (Instant slot : slots) {
            // Were the time of an earlier one the current time, all before that would pass for fired if this loop ended
            // early.
            Instant shown = slot.equals(slots.get(slots.size() - 1)) ? now : slot;
            fireSafely(job, slot, now, shown);
            if (job.passed() != null && !new Tried(slot, null).equals(tried.get(job.name()))) {
                return; // a slot that is fired decides all before it, so this one has to be first
            }
        }
    }

    private void fireSafely(RecurringJob job, Instant slot, Instant now, Instant shown) {
        try {
            fire(job, slot, now, shown);
        } catch (JobStoreException e) {
            if (e.kind() != Kind.DENIED && e.kind() != Kind.OTHER) {
                throw e; // it is the same for all others
            }
            postpone(job, slot);
            cannotFire(job, slot, String.valueOf(e.getMessage()));
        } catch (JobsException e) {
            tried.put(job.name(), new Tried(slot, null));
            complain(job, "what is stored is not a job: " + e.getMessage());
        }
    }

    /** The delay begins when a process sees that there is no job any more, and anew after one that was revived. */
    private void fireDelayed(RecurringJob job, CronSchedule schedule, Instant now) {
        Instant due = job.due();
        if (due != null && due.isAfter(now)) {
            return;
        }
        if (cron.holder(job.name()) != null) {
            awaits = true;
            if (due != null) {
                cron.forgetDue(job);
            }
        } else if (due == null) {
            cron.due(job, schedule.next(now));
        } else if (!wasTried(job, due)) {
            fireSafely(job, due, now, now);
        }
    }

    /** The slots to fire now, the earliest first. */
    private List<Instant> due(Stored stored, CronSchedule schedule, Instant now) {
        RecurringJob job = stored.job();
        Tried before = tried.get(job.name());
        if (job.passed() != null && before != null && isPostponed(before)) {
            return List.of(); // as above
        }
        List<Instant> slots = DueTimes.of(job, schedule, decided(stored), now, grace);
        slots.removeIf(slot -> isTaken(stored, slot, now) || wasTried(job, slot));
        return slots;
    }

    /** The slot up to which all are decided, as far as is known. */
    private static @Nullable Instant decided(Stored stored) {
        Instant taken = stored.lastSlot();
        Instant passed = stored.job().passed();
        boolean later = passed == null || taken != null && taken.isAfter(passed);
        // Of all of its slots, Ruby may have taken some: the script finds out which.
        return later && (passed == null || stored.job().missed() != Missed.ALL) ? taken : passed;
    }

    private static boolean isTaken(Stored stored, Instant slot, Instant now) {
        RecurringJob job = stored.job();
        Instant enqueued = job.lastEnqueued();
        boolean before = enqueued != null && !enqueued.isBefore(slot);
        // The script knows which of all slots are free, unless Redis has forgotten that Ruby took one.
        return job.missed() == Missed.ALL && job.passed() != null
                ? before && Duration.between(slot, now).compareTo(SURELY_REMEMBERED) > 0
                : before || slot.equals(stored.lastSlot());
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

    /** @param shown as the time at which it was enqueued last */
    private void fire(RecurringJob job, Instant slot, Instant now, Instant shown) {
        if (job.needsRuby(registry.find(job.job()).isPresent())) {
            tried.put(job.name(), new Tried(slot, null));
            complain(job, "it looks like a job that only Ruby can build, so it is left to Ruby");
            return;
        }
        String holder = job.overlap() == Overlap.ALLOW ? null : cron.holder(job.name());
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
            tried.put(job.name(), new Tried(slot, null));
            return;
        }
        Push push = admitted == null ? null : push(job, slot, admitted);
        switch (cron.fire(job, slot, shown, push)) {
            case DONE -> {
                tried.put(job.name(), new Tried(slot, null));
                if (stuck.remove(job.name())) {
                    log.info("{} can be enqueued again", job);
                }
                told(job, admitted, push);
                if (holder != null && push != null) {
                    cancel(job, slot, holder, now);
                }
            }
            case TAKEN -> tried.put(job.name(), new Tried(slot, null));
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
    private boolean overlaps(RecurringJob job, Instant slot, @Nullable String holder) {
        if (holder == null || job.overlap() == Overlap.CANCEL) {
            return false;
        }
        if (job.overlap() == Overlap.SKIP) {
            if (cron.pass(job.name(), slot)) {
                log.info("{} is not enqueued for {}, since its job {} has not ended", job, slot, OneLine.of(holder));
            }
            passTo(job, slot);
            tried.put(job.name(), new Tried(slot, null));
        } else {
            awaits = true;
        }
        return true;
    }

    /** The slot was taken, so the job that had the lock before is that of an earlier one. */
    private void cancel(RecurringJob job, Instant slot, String holder, Instant now) {
        if (cron.cancel(job, holder, now)) {
            log.info("Job {} of {} is cancelled, since it has not ended at {}", OneLine.of(holder), job, slot);
        }
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
