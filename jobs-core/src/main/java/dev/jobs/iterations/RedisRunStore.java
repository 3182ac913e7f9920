package dev.jobs.iterations;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.batches.BatchCancellations;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchRun;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.codec.OneLine;
import dev.jobs.ends.Cancellations;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.RunContext;
import dev.jobs.store.Effect;
import dev.jobs.store.ExpiringJobs;
import dev.jobs.unique.JobLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps in Redis what a run of a job keeps there. Thread-safe. */
@Internal
public final class RedisRunStore implements RunStore {

    private static final Logger log = LoggerFactory.getLogger(RedisRunStore.class);

    private final IterationStore store;
    private final Cancellations cancellations;
    private final BatchCancellations batches;
    private final JobLocks locks;
    private final ExpiringJobs expiring;
    private final RunContext context;
    private final Supplier<Stream<ClaimedJob>> held;
    private final Duration shutdownTimeout;
    private final @Nullable Duration maxRuntime;

    /** @param held the jobs that this process holds */
    public RedisRunStore(
            IterationStore store,
            Cancellations cancellations,
            BatchCancellations batches,
            JobLocks locks,
            ExpiringJobs expiring,
            RunContext context,
            EngineConfig config,
            Supplier<Stream<ClaimedJob>> held) {
        this.store = store;
        this.cancellations = cancellations;
        this.batches = batches;
        this.locks = locks;
        this.expiring = expiring;
        this.context = context;
        this.held = held;
        this.shutdownTimeout = config.shutdownTimeout();
        this.maxRuntime = config.maxIterationRuntime();
    }

    /**
     * Continues where the job was left, until it is complete, is cancelled, or has to leave.
     *
     * @throws dev.jobs.JobInterruptedException if it has to leave; its progress is stored by then
     * @throws dev.jobs.iterations.InvalidCursorException if its stored progress can't be read
     */
    @Override
    public void iterate(Iteration<?> iteration, ClaimedJob job) throws Exception {
        if (job.jid().isEmpty()) {
            throw new JobsException("Job " + job + " has no jid, so its progress can't be stored");
        }
        Duration own = iteration.maxRuntime();
        IterationRun.Limits limits = new IterationRun.Limits(own != null ? own : maxRuntime, shutdownTimeout);
        new IterationRun<>(iteration, job, store, context, limits, () -> isCancelled(job)).run();
    }

    /** Removes the stored progress of an iteration once its job is done. */
    @Override
    public List<Effect> whenDone(ClaimedJob job) {
        return List.of(store.removal(job.jid()));
    }

    /** The lock ends with the job at the latest, so the job need not wait for a Redis that can't be asked now. */
    @Override
    public boolean begins(Payload payload) {
        try {
            return locks.begin(payload);
        } catch (JobStoreException e) {
            log.warn(
                    "The lock of job {} could not be released before it starts, so it is kept until the job has ended: {}",
                    OneLine.of(payload.jid()),
                    e.getMessage());
            return true;
        }
    }

    /** If Redis can't be asked now, what its clock said at the last beat counts: the job need not wait. */
    @Override
    public boolean beginsInTime(ClaimedJob job, Instant expiry, Instant now) {
        try {
            byte[] begun = Expiry.setAside(job.payload()).bytes();
            return expiring.begin(job.holder(), job.token(), expiry, begun);
        } catch (JobStoreException e) {
            log.debug("Can't ask whether {} has expired", job, e);
            return !context.lease().serverTime(now).isAfter(expiry);
        }
    }

    /**
     * What this process knows may be of an earlier job with that jid. So a job that is known as cancelled is looked up,
     * and forgotten here before that: what is heard meanwhile must stay.
     */
    @Override
    public Known isCancelled(ClaimedJob job) {
        if (!job.isCancelledItself()) {
            return Known.NO;
        }
        CancelledJobs known = context.cancelled().jobs();
        known.remove(job.jid());
        Known answer = answer(job, () -> cancellations.find(job.jid()) != null);
        if (answer != Known.NO) {
            known.add(List.of(job.jid()));
        }
        return answer;
    }

    /** A batch that is not known as cancelled is not, also if Redis can't be asked now. */
    @Override
    public Known isBatchCancelled(ClaimedJob job) {
        BatchRun run = job.batchRun();
        if (run == null || run.place().isCallback()) {
            return Known.NO;
        }
        return answer(job, () -> context.cancelled()
                .batches()
                .isCancelled(
                        run.place().batch(),
                        job.claimedNanos(),
                        context.environment().nanoTime(),
                        cancelledAmong(batches, held)));
    }

    /** Asks about the batches of held jobs. */
    public static CancelledBatches.Source cancelledAmong(
            BatchCancellations batches, Supplier<Stream<ClaimedJob>> held) {
        return id -> {
            if (!batches.hasAny()) {
                return null;
            }
            Set<String> own = held.get()
                    .map(job -> BatchEffects.batchOf(job.stored()))
                    .filter(Objects::nonNull)
                    .collect(Collectors.toCollection(HashSet::new));
            if (id != null) {
                own.add(id);
            }
            return new CancelledBatches.Reply(own, batches.among(own));
        };
    }

    private static Known answer(ClaimedJob job, BooleanSupplier question) {
        try {
            return Known.of(question.getAsBoolean());
        } catch (JobStoreException e) {
            log.debug("Can't ask whether {} is still cancelled", job, e);
            return isAway(e) ? Known.UNKNOWN : Known.NO;
        }
    }

    /** Whether the same question may be answered a little later. */
    static boolean isAway(JobStoreException e) {
        return switch (e.kind()) {
            case UNREACHABLE, TIMEOUT, READ_ONLY, FULL, BUSY, UNSAFE -> true;
            case DENIED, WRONG_TYPE, OTHER -> false;
        };
    }

    @Override
    public List<Effect> whenCancelled(ClaimedJob job) {
        return cancellations.forget(job.jid());
    }
}
