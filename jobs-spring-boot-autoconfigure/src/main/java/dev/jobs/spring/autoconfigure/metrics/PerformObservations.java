package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobContext;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.spring.observation.DefaultJobPerformConvention;
import dev.jobs.spring.observation.JobPerformContext;
import dev.jobs.spring.observation.JobPerformConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Observes each execution of a job, in the trace that the payload names. The observation is current on the job's thread
 * from before the line that the job starts until after all other listeners heard that it ended, and on the thread that
 * takes the place of one that is left behind.
 *
 * <p>Two listeners of one object, since one has to be the first to hear of a start, the other the last to hear of an
 * end.
 */
final class PerformObservations {

    private static final JobPerformConvention DEFAULT = new DefaultJobPerformConvention();

    private static final String RUNNING = PerformObservations.class.getName();

    private final ObservationRegistry observations;
    private final @Nullable JobPerformConvention convention;
    private final JobRegistry jobs;
    private final ArgumentMasking masking;

    /** @param thread the scope belongs to it */
    private record Running(JobPerformContext context, Observation observation, Observation.Scope scope, Thread thread) {

        /** Makes an observation current on this thread. */
        static Running here(JobPerformContext context, Observation observation) {
            return new Running(context, observation, observation.openScope(), Thread.currentThread());
        }
    }

    PerformObservations(
            ObservationRegistry observations,
            @Nullable JobPerformConvention convention,
            JobRegistry jobs,
            ArgumentMasking masking) {
        this.observations = observations;
        this.convention = convention;
        this.jobs = jobs;
        this.masking = masking;
    }

    JobListener begins() {
        return new JobListener() {
            @Override
            public void started(JobContext job) {
                begin(job);
            }

            @Override
            public void abandoned(JobContext job) {
                goOn(job);
            }
        };
    }

    JobListener ends() {
        return new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                end(job, ending, failure);
            }
        };
    }

    private void begin(JobContext job) {
        if (observations.isNoop()) {
            return;
        }
        String name = jobs.find(job.name()).map(JobDefinition::name).orElse("unknown");
        JobPerformContext context = new JobPerformContext(job, name);
        Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, observations);
        if (!observation.isNoop()) {
            observation.start();
            job.attributes().put(RUNNING, Running.here(context, observation));
        }
    }

    /** The scope of the thread that is left behind stays open there. */
    private static void goOn(JobContext job) {
        if (job.attributes().get(RUNNING) instanceof Running running) {
            job.attributes().put(RUNNING, Running.here(running.context(), running.observation()));
        }
    }

    private void end(JobContext job, JobListener.Ending ending, @Nullable Throwable failure) {
        if (observations.isNoop() || !(job.attributes().remove(RUNNING) instanceof Running running)) {
            return;
        }
        try {
            running.context().end(ending);
            if (failure != null && isOwn(ending)) {
                running.observation().error(shown(job, failure));
            }
        } finally {
            if (running.thread() == Thread.currentThread()) { // else the new thread could not make it current
                running.scope().close();
            }
            running.observation().stop();
        }
    }

    /** What a job throws after it was taken away is no failure: it runs again. */
    private static boolean isOwn(JobListener.Ending ending) {
        return ending != JobListener.Ending.HANDED_BACK && ending != JobListener.Ending.LOST;
    }

    /** Traces leave the process, so they must not show masked arguments. */
    private Throwable shown(JobContext job, Throwable failure) {
        return masking.mayHide(job.payload())
                ? new MaskedJobFailure(
                        failure, masking.shown(job.payload(), failure).toString())
                : failure;
    }
}
