package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.DeathHandler;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observes the death handlers of each job that dies, in the trace that its payload names: those of a job that was
 * running, and those of a job that was killed by hand or died with its workers.
 *
 * <p>Not a part of the execution's observation, which has ended by then: handlers are called once Redis has stored the
 * death, and their time is not that of the job.
 */
final class DeathObservations {

    private static final String NAME = "jobs.death";

    /** W3C allows a baggage of this many bytes. */
    private static final int MOST_CHARACTERS = 8_192;

    private final ObservationRegistry observations;
    private final JobRegistry jobs;

    /** The death of one job. */
    static final class Death extends ReceiverContext<Payload> {

        private final Payload payload;

        Death(Payload payload) {
            super((carrier, name) -> member(carrier, name), Kind.CONSUMER);
            setCarrier(payload);
            this.payload = payload;
        }

        /** Whether the job was never retried. */
        boolean isOfFirstAttempt() {
            return Objects.requireNonNullElse(payload.integer("retry_count"), 0L) < 1;
        }
    }

    DeathObservations(ObservationRegistry observations, JobRegistry jobs) {
        this.observations = observations;
        this.jobs = jobs;
    }

    /** The same hooks, whose death handlers are called inside an observation. */
    JobHooks around(JobHooks hooks) {
        DeathHandler all = new DeathHandler() {
            @Override
            public void died(Payload payload, @Nullable Throwable failure) {
                observation(payload).observe(() -> hooks.died(payload, failure));
            }

            @Override
            public boolean isListening() {
                return hooks.hearsOfDeaths();
            }
        };
        return hooks.with(DeathHandler.class, all);
    }

    private Observation observation(Payload payload) {
        Death context = new Death(payload);
        String name = payload.name();
        String job = name == null
                ? "unknown"
                : jobs.find(name).map(JobDefinition::name).orElse("unknown");
        return Observation.createNotStarted(NAME, () -> context, observations)
                .contextualName("death " + job)
                .lowCardinalityKeyValue("job", job)
                .highCardinalityKeyValues(KeyValues.of(
                        KeyValue.of("jid", Objects.requireNonNullElse(payload.jid(), "")),
                        KeyValue.of("messaging.system", "sidekiq")));
    }

    /** Any program may have written the payload. */
    private static @Nullable String member(Payload payload, String name) {
        String value = payload.text(name);
        return value == null || value.length() > MOST_CHARACTERS ? null : value;
    }
}
