package dev.jobs.spring.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One call that enqueues a job, many jobs, or a batch. Its carrier receives the members that connect the jobs with the
 * trace, such as {@code traceparent}; each job of the call gets them. Used by one thread at a time.
 */
public final class JobEnqueueContext extends SenderContext<Map<String, String>> {

    private static final String SEVERAL = "several";

    private final @Nullable String batch;
    private String job;
    private String queue;
    private @Nullable String jid;
    private int count = 1;

    /**
     * The context of a call with its first job.
     *
     * @param job the job's name, or {@code other}
     * @param queue the job's queue, or {@code other}
     * @param jid the job's id
     * @param batch the id of the batch that the call fills; null outside batches
     */
    public JobEnqueueContext(String job, String queue, @Nullable String jid, @Nullable String batch) {
        super((carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value), Kind.PRODUCER);
        setCarrier(new LinkedHashMap<>());
        this.job = job;
        this.queue = queue;
        this.jid = jid;
        this.batch = batch;
    }

    /** Adds a further job of the call. */
    public void add(String otherJob, String otherQueue) {
        job = job.equals(otherJob) ? job : SEVERAL;
        queue = queue.equals(otherQueue) ? queue : SEVERAL;
        jid = null;
        count++;
    }

    /**
     * The name of the jobs: {@code several} if they differ, {@code other} if this application doesn't know the job and
     * has enqueued 200 other unknown ones before.
     */
    public String job() {
        return job;
    }

    /**
     * The queue of the jobs: {@code several} if they differ, {@code other} if the application has used 200 others
     * before.
     */
    public String queue() {
        return queue;
    }

    /** The id of the only job; null if the call enqueues several. */
    public @Nullable String jid() {
        return jid;
    }

    /** The id of the batch that the call fills; null outside batches. */
    public @Nullable String batch() {
        return batch;
    }

    /** Number of jobs that the call has made so far, at least 1. */
    public int count() {
        return count;
    }
}
