package dev.jobs.batches;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEnds.Callback;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.batches.BatchReader.Found;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.RubyTime;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.Doorbell.Bell;
import dev.jobs.leases.Lease;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What batches need besides settlements. Every process notes which of its jobs run, and while some do, learns which
 * batches are cancelled. The leader looks at batches of which an event may have come: it enqueues their callbacks,
 * tells their parents, and lets the jobs of the next batch go.
 */
@Internal
public final class BatchChore {

    private static final Logger log = LoggerFactory.getLogger(BatchChore.class);

    /** How often a process with running jobs of batches sends its notes, and the leader looks. */
    private static final Duration EACH = Duration.ofSeconds(1);

    /** Young batches that waited for no other one are released without a new time of enqueueing. */
    private static final Duration YOUNG = Duration.ofMinutes(1);

    private static final int AT_ONCE = 100;
    private static final int MOST_TROUBLED = 1_000;

    /** How many steps one batch gets before the next one has its turn. */
    private static final int STEPS = 20;

    private final BatchNotes notes;
    private final BatchReader reader;
    private final BatchCancellations cancellations;
    private final BatchEnds ends;
    private final StagedJobs staged;
    private final JobSets sets;
    private final RunContext context;
    private final CancelledBatches known;
    private final Supplier<Stream<ClaimedJob>> held;
    private final CancelSweep sweep;
    private final CancelCascade cascade;

    /** Batches that can't be looked at, each of which was logged. */
    private final Set<String> troubled = new HashSet<>();

    /** @param held the jobs that this process has */
    public BatchChore(
            RedisConnection connection,
            RedisKeys keys,
            BatchRetention retention,
            JobSets sets,
            RunContext context,
            CancelledBatches known,
            Supplier<Stream<ClaimedJob>> held) {
        this.notes = new BatchNotes(connection, keys);
        this.reader = new BatchReader(connection, keys);
        this.cancellations = new BatchCancellations(connection, keys);
        this.ends = new BatchEnds(connection, keys, retention);
        this.staged = new StagedJobs(connection, keys);
        this.sets = sets;
        this.context = context;
        this.known = known;
        this.held = held;
        this.sweep = new CancelSweep(reader, cancellations, sets, cancellations.parkedJobs(), context);
        this.cascade = new CancelCascade(cancellations, context);
    }

    /** What rings in the leader when a batch wants a look. */
    public static Bell bell(RedisKeys keys, Lease lease, Runnable rang) {
        String resting = Bytes.text(new BatchKeys(keys).resting());
        return new Bell(resting, resting::equals, lease::isLeader, rang);
    }

    /** Does what is due. Returns how long until the next run. */
    public Duration runOnce() {
        try {
            boolean runs = note();
            boolean leads = context.lease().isLeader();
            if (runs) {
                known.refresh(context.environment().nanoTime(), cancellations.amongHeld(held));
            }
            if (!leads) {
                cascade.stop();
            }
            boolean more = leads && look();
            more |= leads && cascade.runOnce();
            more |= leads && sweep.runOnce();
            context.outage().worked("batches");
            return more ? Duration.ZERO : EACH;
        } catch (JobStoreException e) {
            context.outage().failed("batches", e);
            return EACH;
        }
    }

    /** Notes the jobs of batches that run here. Returns whether there are any. */
    private boolean note() {
        List<Running> news = new ArrayList<>();
        List<BatchRun> sent = new ArrayList<>();
        boolean any = false;
        String incarnation = context.lease().current().id();
        for (ClaimedJob job : held.get().toList()) {
            BatchRun run = job.part(BatchRun.class);
            if (run == null || job.runner() == null || !job.isOurs()) {
                continue;
            }
            any = true;
            var report = run.news();
            if (report != null && job.incarnation().id().equals(incarnation)) {
                news.add(new Running(job.token(), run.batchJob(), report));
                sent.add(run);
            }
        }
        if (!news.isEmpty()) {
            try {
                notes.note(incarnation, news);
            } catch (JobStoreException e) {
                sent.forEach(BatchRun::noteAgain);
                throw e;
            }
        }
        return any;
    }

    /** Looks at batches of which an event may have come. Returns whether to go on at once. */
    private boolean look() {
        List<String> resting = reader.resting(AT_ONCE);
        if (resting.isEmpty()) {
            return false;
        }
        boolean more = false;
        int done = 0;
        for (List<String> left = resting; !left.isEmpty(); ) {
            BatchReader.Some some = reader.some(left);
            for (String id : left.subList(0, left.size() - some.left().size())) {
                try {
                    more |= look(id, some.found().get(id));
                    done++;
                    troubled.remove(id);
                } catch (JobStoreException e) {
                    if (!concernsOneBatch(e.kind())) {
                        throw e;
                    }
                    if (troubled.size() < MOST_TROUBLED && troubled.add(id)) {
                        log.warn("Batch {} waits: {}", id, e.getMessage());
                    }
                    ends.postpone(id, context.environment().clock().instant());
                }
            }
            left = some.left();
        }
        return more || done > 0 && resting.size() == AT_ONCE;
    }

    /** Whether other batches may still be looked at after an error. */
    private static boolean concernsOneBatch(JobStoreException.Kind kind) {
        return switch (kind) {
            case WRONG_TYPE, DENIED, OTHER -> true;
            default -> false;
        };
    }

    /** Returns whether the batch needs another look at once. */
    private boolean look(String id, @Nullable Found found) {
        if (found == null) {
            ends.look(id, BatchReader.NO_DEFINITION, List.of(), true);
            return false;
        }
        BatchStatus status = found.status();
        keepOrExpireNext(found);
        boolean opens = !status.open() && (!status.waitsForPrevious() || status.cancelledAt() != null);
        if (opens && letGo(id, found)) {
            return true;
        }
        Set<BatchEvent> events = ends.look(id, found.definition(), callbacks(id, found), opens);
        if (events != null && !events.isEmpty()) {
            ended(id, found, events);
        }
        return false;
    }

    /** Lets staged jobs of an open batch go, or ends those of a cancelled one. Returns whether there may be more. */
    private boolean letGo(String id, Found found) {
        List<String> queues = found.definition().stagedQueues();
        Instant now = context.environment().clock().instant();
        boolean waited = !found.definition().previous().isEmpty()
                || found.status().createdAt().isBefore(now.minus(YOUNG));
        for (int step = 0; step < STEPS; step++) {
            long left = found.status().cancelledAt() != null
                    ? staged.delete(id, queues, sets)
                    : waited
                            ? staged.release(id, queues, job -> enqueuedNow(expiringFromNow(job)))
                            : staged.release(id, queues);
            if (left == 0) {
                return false;
            }
        }
        return true;
    }

    /** The callbacks that were not enqueued yet, as they would be enqueued now. */
    private List<Callback> callbacks(String id, Found found) {
        List<Callback> callbacks = new ArrayList<>();
        found.definition().callbacks().forEach((event, stored) -> {
            if (!found.status().events().containsKey(event)) {
                Callback callback = callback(id, event, stored);
                if (callback != null) {
                    callbacks.add(callback);
                }
            }
        });
        return callbacks;
    }

    private @Nullable Callback callback(String id, BatchEvent event, byte[] stored) {
        Payload payload;
        try {
            payload = expiringFromNow(Payload.parse(stored));
        } catch (InvalidPayloadException e) {
            log.warn("The callback of batch {} for {} is not a job and is left out", id, event);
            return null;
        }
        try {
            Payload changed = EnqueueMiddleware.apply(context.hooks().enqueueMiddleware(), payload);
            if (changed == null) {
                log.info("An enqueue middleware refused the callback of batch {} for {}", id, event);
                return null;
            }
            payload = changed;
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            context.hooks()
                    .failed(
                            e,
                            "An enqueue middleware failed for the callback of batch " + id
                                    + ", which is enqueued without it",
                            payload);
        }
        String queue = payload.queue();
        if (queue == null || !RedisKeys.isQueueName(queue)) {
            queue = "default";
        }
        return new Callback(event, queue, enqueuedNow(payload).bytes());
    }

    private Payload enqueuedNow(Payload payload) {
        return payload.with("enqueued_at", context.now());
    }

    /** The payload of a job that could not begin before now. */
    private Payload expiringFromNow(Payload stored) {
        return Expiry.anew(
                stored, RubyTime.seconds(context.environment().clock().instant()));
    }

    private void ended(String id, Found before, Set<BatchEvent> events) {
        BatchStatus now = reader.status(id).orElse(before.status());
        log.info(
                "Batch '{}' ({}) {}: {} of {} jobs succeeded, {} failed, {} dead, {} skipped, {} lost",
                before.definition().name(),
                id,
                events.stream()
                        .map(event -> event.name().toLowerCase(Locale.ROOT))
                        .toList(),
                now.succeeded(),
                now.total(),
                now.failed(),
                now.dead(),
                now.skipped(),
                now.lost());
        context.hooks().tell(listener -> {
            if (listener instanceof BatchListener one) {
                one.batchChanged(now, events);
            }
        });
    }

    /**
     * Batches that wait for a finished batch without success expire with it; if a job of it is revived, they stay.
     * Done by the look after the one that noted the event, and again if that was interrupted.
     */
    private void keepOrExpireNext(Found found) {
        BatchStatus status = found.status();
        boolean mayOpen = status.events().containsKey(BatchEvent.SUCCEEDED) || status.waiting() + status.retrying() > 0;
        String id = status.isFinished() ? found.definition().next() : "";
        while (!id.isEmpty()) {
            Found next = reader.find(id).orElse(null);
            if (next == null || next.status().isFinished()) {
                return;
            }
            if (mayOpen) {
                ends.keep(id, next.definition().stagedQueues());
            } else {
                ends.expire(id, next.definition().stagedQueues(), found.definition());
            }
            id = next.definition().next();
        }
    }
}
