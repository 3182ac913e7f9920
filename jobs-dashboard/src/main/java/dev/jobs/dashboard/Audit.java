package dev.jobs.dashboard;

import dev.jobs.codec.OneLine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down who did what to how many, one line for each action, to a logger of its own. */
final class Audit {

    private static final Logger log = LoggerFactory.getLogger("dev.jobs.audit");

    private static final int CHARACTERS = 300;

    private Audit() {}

    /** @param what the action and its object, as in {@code delete in retries (all)} */
    static void done(Call call, String what, long count) {
        if (log.isInfoEnabled()) {
            log.info("{}: {} [{}]", OneLine.of(call.actor()), OneLine.of(what, CHARACTERS), count);
        }
    }
}
