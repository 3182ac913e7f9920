package dev.jobs.processes;

import dev.jobs.engine.ClaimedJob;
import dev.jobs.processes.ProcessRegistry.Work;
import dev.jobs.redis.CallBounds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The running jobs as last published, so that only changes are sent. Confined to one thread. */
final class PublishedWork {

    private final Function<ClaimedJob, byte[]> entry;
    private final CallBounds bounds;

    /** By thread. */
    private final Map<String, ClaimedJob> shown = new HashMap<>();

    private String identity = "";
    private boolean anew = true;

    /** @param entry returns the published entry of a job */
    PublishedWork(Function<ClaimedJob, byte[]> entry, CallBounds bounds) {
        this.entry = entry;
        this.bounds = bounds;
    }

    /**
     * The changes to send now: at most {@link CallBounds#bytes}, the rest follows with the next beat.
     *
     * @param running by thread
     */
    Work changes(String now, Map<String, ClaimedJob> running) {
        if (!now.equals(identity) || anew) {
            identity = now;
            anew = true;
            shown.clear();
        }
        List<String> ended = new ArrayList<>();
        shown.forEach((thread, job) -> {
            if (running.get(thread) != job) {
                ended.add(thread);
            }
        });
        shown.keySet().removeAll(ended);
        Map<String, byte[]> begun = new LinkedHashMap<>();
        long bytes = 0;
        for (Map.Entry<String, ClaimedJob> each : running.entrySet()) {
            if (bytes < bounds.bytes() && !shown.containsKey(each.getKey())) {
                byte[] published = entry.apply(each.getValue());
                bytes += published.length;
                begun.put(each.getKey(), published);
                shown.put(each.getKey(), each.getValue());
            }
        }
        return new Work(anew, ended, begun);
    }

    /**
     * Redis has this number of jobs now. If it differs, as after a loss of the key, all jobs are sent the next time.
     */
    void published(int jobs) {
        anew = jobs != shown.size();
    }

    /** It is unknown whether Redis received the changes. */
    void unknown() {
        anew = true;
    }
}
