package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.codec.OneLine;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs who did what to how many jobs, one line per action, to its own logger. */
@Internal
public final class Audit {

    private static final Logger log = LoggerFactory.getLogger("dev.jobs.audit");

    private static final int CHARACTERS = 300;

    private Audit() {}

    /** Performs an action on one thing and logs it, also if it fails. Returns whether it changed anything. */
    public static boolean changing(ApiRequest request, String what, BooleanSupplier action) {
        boolean changed = false;
        try {
            changed = action.getAsBoolean();
            return changed;
        } finally {
            done(request, what, changed ? 1 : 0);
        }
    }

    /**
     * Names at the end of the line, where nothing else is, the installation; but not the application's own, unless it
     * divides its jobs.
     *
     * @param what the action and its object, as in {@code delete in retries (all)}
     */
    public static void done(ApiRequest request, String what, long count) {
        if (log.isInfoEnabled()) {
            String installation = request.installation();
            log.info(
                    "{}: {} [{}]{}",
                    OneLine.of(request.actor()),
                    OneLine.of(what, CHARACTERS),
                    count,
                    installation.isEmpty() ? "" : " in " + installation);
        }
    }
}
