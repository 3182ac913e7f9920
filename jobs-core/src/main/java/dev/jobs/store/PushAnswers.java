package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringTokenizer;
import java.util.TreeMap;

/**
 * What became of the payloads of a push: each is stored, unless a check refused it.
 *
 * @param refused the reasons, by the index of the payload
 * @param later indexes of payloads that are stored in the scheduled set, whatever the push is for
 */
@Internal
public record PushAnswers(SortedMap<Integer, String> refused, Set<Integer> later) {

    private static final PushAnswers ALL_STORED = new PushAnswers(Collections.emptySortedMap(), Set.of());
    private static final String LATER = "later:";

    /** The answer when no check refused a payload. */
    public static PushAnswers allStored() {
        return ALL_STORED;
    }

    /** @param answer that of the script, described in {@code shared_checks.lua} */
    static PushAnswers of(List<Object> answer) {
        if (answer.size() < 2) {
            return ALL_STORED;
        }
        SortedMap<Integer, String> refused = new TreeMap<>();
        Set<Integer> later = new HashSet<>();
        int index = 0;
        for (StringTokenizer runs = new StringTokenizer(Bytes.text(answer.get(1)), " "); runs.hasMoreTokens(); ) {
            String run = runs.nextToken();
            int colon = run.indexOf(':');
            String reason = run.substring(colon + 1);
            int end = index + Integer.parseInt(run.substring(0, colon));
            for (; index < end; index++) {
                if (reason.startsWith(LATER)) {
                    later.add(index);
                } else if (!reason.isEmpty()) {
                    refused.put(index, reason);
                }
            }
        }
        return new PushAnswers(refused, later);
    }

    /** Whether a payload, by its index, is stored. */
    public boolean isStored(int index) {
        return !refused.containsKey(index);
    }
}
