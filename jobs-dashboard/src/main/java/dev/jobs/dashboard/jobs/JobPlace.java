package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs are: one of the three sets, or a queue.
 *
 * @param name as used in addresses: scheduled, retries, dead or queue
 * @param set the set, or null for a queue
 * @param queue the name of the queue, or empty
 */
@Internal
public record JobPlace(String name, @Nullable JobSet set, String queue) {

    private static final String SCHEDULED = "scheduled";
    private static final String RETRIES = "retries";
    private static final String DEAD = "dead";
    private static final String QUEUE = "queue";

    public static JobPlace of(ApiRequest request) {
        JobPlace place = of(request, SCHEDULED, RETRIES, DEAD, QUEUE);
        return place.set == null ? queue(request.text(QUEUE, ApiRequest.MOST_NAME)) : place;
    }

    /** The set that a request names; a queue is refused. */
    public static JobSet set(ApiRequest request, String... allowed) {
        JobSet set = of(request, allowed).set;
        if (set == null) {
            throw Problem.badParameter("place", "a set");
        }
        return set;
    }

    private static JobPlace of(ApiRequest request, String... allowed) {
        request.text("place", ApiRequest.MOST_NAME);
        return switch (request.word("place", allowed)) {
            case SCHEDULED -> of(JobSet.SCHEDULED);
            case RETRIES -> of(JobSet.RETRY);
            case DEAD -> of(JobSet.DEAD);
            default -> new JobPlace(QUEUE, null, "");
        };
    }

    public static JobPlace of(JobSet set) {
        return switch (set) {
            case SCHEDULED -> new JobPlace(SCHEDULED, set, "");
            case RETRY -> new JobPlace(RETRIES, set, "");
            case DEAD -> new JobPlace(DEAD, set, "");
        };
    }

    static JobPlace of(JobRecord job) {
        JobSet set = job.set();
        String queue = job.queue();
        return set != null ? of(set) : queue(queue == null ? "" : queue);
    }

    static JobPlace queue(String queue) {
        return new JobPlace(QUEUE, null, queue);
    }

    /**
     * Identifies a job while it stays in its set with its score, or in its queue; its last position helps to find it.
     */
    public static String key(ListedJob listed, String digest) {
        JobRecord job = listed.job();
        return (job.set() == null ? "" : job.score() + "_") + listed.index() + "_" + digest;
    }

    /** For people, in log lines. */
    public String label() {
        return set == null ? "queue " + queue : name;
    }
}
