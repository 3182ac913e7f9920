package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Threads that don't keep an application alive. */
@Internal
public final class DaemonThreads extends CustomizableThreadFactory {

    private static final long serialVersionUID = 1L;

    /** @param prefix of their names */
    public DaemonThreads(String prefix) {
        super(prefix);
        setDaemon(true);
    }
}
