package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobStoreException;
import dev.jobs.codec.OneLine;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends locks that end as their job begins, and jobs that a later one has replaced. Thread-safe. */
@Internal
public final class LockPart implements JobPart.Refuses, JobPart.Around {

    private static final Logger log = LoggerFactory.getLogger(LockPart.class);

    private final Predicate<? super ClaimedJob> begins;

    /** @param begins called with a job that has a lock; returns false if a later one has replaced it */
    public LockPart(Predicate<? super ClaimedJob> begins) {
        this.begins = begins;
    }

    /** The lock ends with the job at the latest, so the job need not wait for a Redis that can't be asked now. */
    public static LockPart inRedis(JobLocks locks) {
        return new LockPart(job -> {
            try {
                return locks.begin(job.incarnation().id(), job.token(), job.payload());
            } catch (JobStoreException e) {
                log.warn(
                        "The lock of job {} could not be released before it starts, so it is kept until the job has ended: {}",
                        OneLine.of(job.jid()),
                        e.getMessage());
                return true;
            }
        });
    }

    @Override
    public @Nullable Outcome refused(ClaimedJob job, Ending why) {
        return why == Ending.REPLACED ? replaced() : null;
    }

    @Override
    public @Nullable Outcome enter(ClaimedJob job, JobDefinition definition) {
        return job.payload().has(UniqueRule.LOCK) && !begins.test(job) ? replaced() : null;
    }

    private static Outcome replaced() {
        return EarlyOutcome.Ended.notRun(
                Ending.REPLACED,
                ", a later job has its lock, is not run",
                "A later job with the key of its lock replaced it");
    }
}
