package dev.jobs.spring.observation;

import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/** One execution of a job. Its carrier is the job's payload, whose members name the trace. */
public final class JobPerformContext extends ReceiverContext<Payload> {

    /** W3C allows a baggage of this many bytes. */
    private static final int MOST_CHARACTERS = 8_192;

    private final JobContext execution;
    private final String job;
    private volatile @Nullable Ending ending;

    /**
     * The context of an execution that begins.
     *
     * @param job the job's name, or {@code unknown}
     */
    public JobPerformContext(JobContext execution, String job) {
        super((payload, name) -> member(payload, name), Kind.CONSUMER);
        setCarrier(execution.payload());
        this.execution = execution;
        this.job = job;
    }

    /** Any program may have written the payload. */
    private static @Nullable String member(Payload payload, String name) {
        String value = payload.text(name);
        return value == null || value.length() > MOST_CHARACTERS ? null : value;
    }

    /** The job as it sees itself. */
    public JobContext execution() {
        return execution;
    }

    /** The job's name; {@code unknown} if this application has no such job. */
    public String job() {
        return job;
    }

    /** How the execution ended; null until it has. */
    public @Nullable Ending ending() {
        return ending;
    }

    /** The execution ended. */
    public void end(Ending how) {
        ending = how;
    }
}
