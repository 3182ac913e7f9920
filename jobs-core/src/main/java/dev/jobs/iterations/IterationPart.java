package dev.jobs.iterations;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import dev.jobs.JobsException;
import dev.jobs.ends.Known;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.RunContext;
import dev.jobs.store.Effect;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Works through the iterations that methods return. Thread-safe. */
@Internal
public final class IterationPart implements JobPart.Returns, JobPart.Succeeds {

    private static final Logger log = LoggerFactory.getLogger(IterationPart.class);

    private final Walk walk;

    /** Works through one, and keeps how far it has come. */
    @FunctionalInterface
    @Internal
    public interface Walk {

        /**
         * Continues where the job was left, until it is complete, is cancelled, or has to leave.
         *
         * @throws dev.jobs.JobInterruptedException if it has to leave; its progress is stored by then
         * @throws dev.jobs.iterations.InvalidCursorException if its stored progress can't be read
         */
        void iterate(Iteration<?> iteration, ClaimedJob job) throws Exception;

        /** Removes the progress of a job that is done. */
        default List<Effect> whenDone(ClaimedJob job) {
            return List.of();
        }
    }

    public IterationPart(Walk walk) {
        this.walk = walk;
    }

    /**
     * Keeps progress in Redis.
     *
     * @param shutdownTimeout how long a worker that stops waits for its jobs
     * @param maxRuntime how long an execution may run unless the iteration says otherwise; null for any time
     * @param cancelled whether a job is cancelled itself
     * @param leaves whether something that a job is a part of is cancelled: then it leaves before its next element
     */
    public static IterationPart inRedis(
            IterationStore store,
            RunContext context,
            Duration shutdownTimeout,
            @Nullable Duration maxRuntime,
            Function<ClaimedJob, Known> cancelled,
            Predicate<ClaimedJob> leaves) {
        return new IterationPart(new Walk() {
            @Override
            public void iterate(Iteration<?> iteration, ClaimedJob job) throws Exception {
                if (job.jid().isEmpty()) {
                    throw new JobsException("Job " + job + " has no jid, so its progress can't be stored");
                }
                Duration own = iteration.maxRuntime();
                IterationRun.Bounds bounds = new IterationRun.Bounds(own != null ? own : maxRuntime, shutdownTimeout);
                new IterationRun<>(
                                iteration,
                                job,
                                store,
                                context,
                                bounds,
                                () -> cancelled.apply(job),
                                () -> leaves.test(job))
                        .run();
            }

            @Override
            public List<Effect> whenDone(ClaimedJob job) {
                return List.of(store.removal(job.jid()));
            }
        });
    }

    @Override
    public boolean returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) throws Exception {
        if (value instanceof Iteration<?> iteration) {
            if (!definition.isIterable()) {
                throw new JobsException("The @Job method " + definition.qualifiedMethodName()
                        + " returned an Iteration, but doesn't declare that; let Iteration be its return type");
            }
            walk.iterate(iteration, job);
            return true;
        }
        if (definition.isIterable()) {
            log.info("{} returned null instead of an Iteration, so there is nothing to do", job);
        }
        return definition.isIterable();
    }

    @Override
    public List<Effect> done(ClaimedJob job, JobDefinition definition) {
        return definition.isIterable() ? walk.whenDone(job) : List.of();
    }

    /** Recognizes methods that are declared to return an {@link Iteration}. */
    @Internal
    public static final class Rules implements JobRule {

        @Override
        public boolean isIterable(Method method) {
            return Iteration.class.isAssignableFrom(method.getReturnType());
        }
    }
}
