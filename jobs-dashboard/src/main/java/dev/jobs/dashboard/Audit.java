package dev.jobs.dashboard;

import dev.jobs.codec.OneLine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs who did what to how many jobs, one line per action, to its own logger. */
final class Audit {

    private static final Logger log = LoggerFactory.getLogger("dev.jobs.audit");

    private static final int CHARACTERS = 300;

    private Audit() {}

    /** @param what the action and its object, as in {@code delete in retries (all)} */
    static void done(ApiRequest request, String what, long count) {
        if (log.isInfoEnabled()) {
            log.info("{}: {} [{}]", OneLine.of(request.actor()), OneLine.of(what, CHARACTERS), count);
        }
    }
}
