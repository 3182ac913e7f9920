package dev.jobs.spring.autoconfigure.events;

import dev.jobs.DeathHandler;
import dev.jobs.Internal;
import dev.jobs.JobContext;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchListener;
import dev.jobs.batches.BatchStatus;
import dev.jobs.spring.BatchChangedEvent;
import dev.jobs.spring.DuplicateJobsEvent;
import dev.jobs.spring.EngineStateChangedEvent;
import dev.jobs.spring.JobDiedEvent;
import dev.jobs.spring.JobFinishedEvent;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** Publishes events of jobs, batches and engine as application events. */
@Internal
public final class EventPublisher implements BatchListener {

    private final ApplicationContext context;
    private final EventDemand finished;
    private final EventDemand died;
    private final EventDemand duplicates;

    public EventPublisher(ApplicationContext context) {
        this.context = context;
        this.finished = new EventDemand(context, JobFinishedEvent.class);
        this.died = new EventDemand(context, JobDiedEvent.class);
        this.duplicates = new EventDemand(context, DuplicateJobsEvent.class);
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        // A claimed entry without a name is not a job.
        if (finished.isHeard() && !job.name().isEmpty()) {
            context.publishEvent(
                    new JobFinishedEvent(job.payload(), job.queue(), job.attempt(), ending, took, failure));
        }
    }

    @Override
    public void duplicates(String name, String queue, int count, String holder) {
        if (duplicates.isHeard()) {
            context.publishEvent(new DuplicateJobsEvent(name, queue, count, holder));
        }
    }

    /** What publishes deaths. */
    public DeathHandler deaths() {
        return new DeathHandler() {
            @Override
            public boolean isListening() {
                return died.isHeard();
            }

            @Override
            public void died(Payload payload, @Nullable Throwable failure) {
                context.publishEvent(new JobDiedEvent(payload, failure));
            }
        };
    }

    @Override
    public void batchChanged(BatchStatus batch, Set<BatchEvent> events) {
        context.publishEvent(new BatchChangedEvent(batch, events));
    }

    @Override
    public void engineChanged(EngineState state) {
        context.publishEvent(new EngineStateChangedEvent(state));
    }
}
