package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.redis.KeyScan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a search found.
 *
 * @param <T> what was searched for
 * @param items what was found, in the order that the search names
 * @param partial whether the search stopped before it looked everywhere, so that there may be more
 */
public record Found<T>(List<T> items, boolean partial) {

    @Internal
    public static final int MOST_OF_ONE_ID = 20;

    private static final int MOST_JID = 200;

    public Found {
        items = List.copyOf(items);
    }

    @Internal
    public static void checkJid(String jid) {
        if (jid.isEmpty() || jid.length() > MOST_JID) {
            throw new IllegalArgumentException(
                    "'jid' must have 1 to " + MOST_JID + " characters but had " + jid.length());
        }
    }

    /**
     * What there is at keys whose names are searched for, in no order.
     *
     * @param read reads it, by what follows the prefix in names
     * @param budget counts what is read, not keys
     */
    @Internal
    public static <T> Found<T> atKeys(
            KeyScan scan, Function<? super List<String>, ? extends List<? extends T>> read, ScanBudget budget) {
        long end = System.nanoTime() + budget.time().toNanos();
        List<T> found = new ArrayList<>();
        do {
            found.addAll(read.apply(scan.next()));
        } while (!scan.isFinished() && found.size() < budget.entries() && System.nanoTime() - end < 0);
        boolean partial = !scan.isFinished() || found.size() > budget.entries();
        return new Found<>(found.subList(0, Math.min(budget.entries(), found.size())), partial);
    }
}
