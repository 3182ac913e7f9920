package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.store.Effect;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What few jobs have: values shared within an execution, starts by rates. Thread-safe. */
@Internal
public final class JobExtras {

    private final Map<String, Object> attributes = new ConcurrentHashMap<>();
    private final List<Effect> starts = new CopyOnWriteArrayList<>();
    private volatile boolean inTime;

    Map<String, Object> attributes() {
        return attributes;
    }

    /** What gives back the starts by rates that the job took, as long as it has not begun. */
    public List<Effect> starts() {
        return starts;
    }

    /** A job that expires runs, since it was begun before. */
    public void beganInTime() {
        inTime = true;
    }

    boolean hasBegunInTime() {
        return inTime;
    }
}
