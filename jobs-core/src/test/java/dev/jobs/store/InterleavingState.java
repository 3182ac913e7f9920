package dev.jobs.store;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Everything that determines which steps are possible.
 *
 * @param delivered every token ever used for a job, with the incarnation that had it
 */
record InterleavingState(
        List<InterleavingProcess> processes,
        List<InterleavingReaper> reapers,
        SortedSet<String> delivered,
        RedisContents contents) {

    static String delivery(String incarnation, String token) {
        return incarnation + " " + token;
    }

    InterleavingState with(InterleavingProcess before, InterleavingProcess after) {
        return new InterleavingState(replace(processes, before, after), reapers, delivered, contents);
    }

    InterleavingState with(InterleavingReaper before, InterleavingReaper after) {
        return new InterleavingState(processes, replace(reapers, before, after), delivered, contents);
    }

    private static <T> List<T> replace(List<T> all, T before, T after) {
        return all.stream().map(each -> each.equals(before) ? after : each).toList();
    }

    InterleavingState with(SortedMap<String, Object> nowStored) {
        RedisContents now = new RedisContents(nowStored);
        SortedSet<String> deliveries = new TreeSet<>(delivered);
        now.inFlight().forEach((incarnation, jobs) -> jobs.keySet()
                .forEach(token -> deliveries.add(delivery(incarnation, token))));
        return new InterleavingState(processes, reapers, deliveries, now);
    }
}
