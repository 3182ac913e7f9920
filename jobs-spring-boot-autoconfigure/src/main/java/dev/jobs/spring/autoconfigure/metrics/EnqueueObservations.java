package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.spring.autoconfigure.gauges.TagValues;
import dev.jobs.spring.observation.DefaultJobEnqueueConvention;
import dev.jobs.spring.observation.JobEnqueueContext;
import dev.jobs.spring.observation.JobEnqueueConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call that enqueues jobs, and writes what connects a trace into the jobs, as members of the payload
 * under the propagator's own names: Ruby's instrumentation reads and writes them there, too.
 */
final class EnqueueObservations implements EnqueueMiddleware {

    private static final JobEnqueueConvention DEFAULT = new DefaultJobEnqueueConvention();

    private static final int MOST_VALUES = 200;
    private static final int MOST_MEMBERS = 8;
    private static final Pattern CARRIED = Pattern.compile("[ -~]{1,1024}");

    private final ObservationRegistry observations;
    private final @Nullable JobEnqueueConvention convention;
    private final JobRegistry jobs;
    private final TagValues unknownJobs = new TagValues(MOST_VALUES);
    private final TagValues queues = new TagValues(MOST_VALUES);

    EnqueueObservations(ObservationRegistry observations, @Nullable JobEnqueueConvention convention, JobRegistry jobs) {
        this.observations = observations;
        this.convention = convention;
        this.jobs = jobs;
    }

    @Override
    public @Nullable Payload enqueue(Payload payload, Chain next) {
        return next.proceed(payload);
    }

    @Override
    public EnqueueCall begin(@Nullable String batch) {
        return observations.isNoop() ? EnqueueCall.NONE : new ObservedCall(batch);
    }

    private String job(Payload draft) {
        String name = Objects.requireNonNullElse(draft.jobName(), "");
        return jobs.find(name).map(JobDefinition::name).orElseGet(() -> unknownJobs.bounded(name));
    }

    private String queue(Payload draft) {
        return queues.bounded(Objects.requireNonNullElse(draft.queue(), ""));
    }

    /** Begins with the first job, whose name is then known. */
    private final class ObservedCall implements EnqueueCall {

        private final @Nullable String batch;
        private @Nullable JobEnqueueContext context;
        private Observation observation = Observation.NOOP;

        ObservedCall(@Nullable String batch) {
            this.batch = batch;
        }

        @Override
        public Payload add(Payload draft) {
            JobEnqueueContext known = context;
            if (known == null) {
                known = new JobEnqueueContext(job(draft), queue(draft), draft.jid(), batch);
                context = known;
                JobEnqueueContext first = known;
                observation = Observation.createNotStarted(convention, DEFAULT, () -> first, observations)
                        .start();
            } else {
                known.add(job(draft), queue(draft));
            }
            Map<String, String> carrier = known.getCarrier();
            return carrier == null ? draft : carrying(draft, carrier.entrySet());
        }

        @Override
        public void end(@Nullable Throwable failure) {
            if (failure != null) {
                observation.error(failure);
            }
            observation.stop();
        }
    }

    /** A job that names a trace already keeps it: its caller chose that, or it was enqueued before. */
    private static Payload carrying(Payload draft, Collection<Map.Entry<String, String>> members) {
        if (members.stream().anyMatch(each -> draft.has(each.getKey()))) {
            return draft;
        }
        Payload payload = draft;
        int left = MOST_MEMBERS;
        for (Map.Entry<String, String> each : members) {
            if (left > 0 && CARRIED.matcher(each.getValue()).matches()) {
                payload = payload.with(each.getKey(), each.getValue());
                left--;
            }
        }
        return payload;
    }
}
