package dev.jobs.spring.checkpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** All resources. */
public final class Context {

    private final List<Resource> resources = new ArrayList<>();

    public void register(Resource resource) {
        resources.add(resource);
    }

    /** As a JVM does: the last one first before the checkpoint, and the first one first after it. */
    void run(Runnable atCheckpoint) throws Exception {
        List<Resource> reversed = new ArrayList<>(resources);
        Collections.reverse(reversed);
        for (Resource each : reversed) {
            each.beforeCheckpoint(this);
        }
        atCheckpoint.run();
        for (Resource each : resources) {
            each.afterRestore(this);
        }
    }
}
