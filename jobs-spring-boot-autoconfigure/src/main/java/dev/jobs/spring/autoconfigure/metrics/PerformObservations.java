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
 * from before the line that the job starts until after all other listeners heard that it ended.
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
    private record Running(
            JobPerformContext context, Observation observation, Observation.Scope scope, Thread thread) {}

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
            job.attributes()
                    .put(RUNNING, new Running(context, observation, observation.openScope(), Thread.currentThread()));
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
            if (running.thread() == Thread.currentThread()) { // else that thread was abandoned after a timeout
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
