package dev.jobs.admin;

import dev.jobs.Internal;
import java.util.List;

/**
 * The result of a search for certain jobs.
 *
 * @param partial whether the search stopped before it looked everywhere, so that there may be more of them
 */
public record FoundJobs(List<PlacedJob> jobs, boolean partial) {

    @Internal
    public static final int MOST_OF_ONE_ID = 20;

    private static final int MOST_JID = 200;

    public FoundJobs {
        jobs = List.copyOf(jobs);
    }

    @Internal
    public static void checkJid(String jid) {
        if (jid.isEmpty() || jid.length() > MOST_JID) {
            throw new IllegalArgumentException(
                    "'jid' must have 1 to " + MOST_JID + " characters but had " + jid.length());
        }
    }
}
