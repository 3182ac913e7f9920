package dev.jobs.engine;

import dev.jobs.redis.CallLimits;
import dev.jobs.redis.ProcessRegistry.Work;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What Redis was told of the running jobs, so that it is told of changes only. Confined to one thread. */
final class PublishedWork {

    private final Function<ClaimedJob, byte[]> entry;

    /** By thread. */
    private final Map<String, ClaimedJob> shown = new HashMap<>();

    private String identity = "";
    private boolean anew = true;

    /** @param entry what is shown of a job */
    PublishedWork(Function<ClaimedJob, byte[]> entry) {
        this.entry = entry;
    }

    /**
     * What to tell now: no more than {@link CallLimits#BYTES}, the rest follows with the next beat.
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
            if (bytes < CallLimits.BYTES && !shown.containsKey(each.getKey())) {
                byte[] told = entry.apply(each.getValue());
                bytes += told.length;
                begun.put(each.getKey(), told);
                shown.put(each.getKey(), each.getValue());
            }
        }
        return new Work(anew, ended, begun);
    }

    /** Redis shows so many now. Where these are others than it was told of, as when its key was gone, it is told of all the next time. */
    void published(int jobs) {
        anew = jobs != shown.size();
    }

    /** Nobody knows whether Redis heard of the changes. */
    void unknown() {
        anew = true;
    }
}
