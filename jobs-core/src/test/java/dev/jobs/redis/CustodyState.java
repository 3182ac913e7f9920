package dev.jobs.redis;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * All that the future depends on.
 *
 * @param delivered every token that ever stood for a job, with the incarnation that had it
 */
record CustodyState(
        List<CustodyProcess> processes, List<CustodyReaper> reapers, SortedSet<String> delivered, Contents contents) {

    static String delivery(String incarnation, String token) {
        return incarnation + " " + token;
    }

    CustodyState with(CustodyProcess before, CustodyProcess after) {
        return new CustodyState(replace(processes, before, after), reapers, delivered, contents);
    }

    CustodyState with(CustodyReaper before, CustodyReaper after) {
        return new CustodyState(processes, replace(reapers, before, after), delivered, contents);
    }

    private static <T> List<T> replace(List<T> all, T before, T after) {
        return all.stream().map(each -> each.equals(before) ? after : each).toList();
    }

    CustodyState with(SortedMap<String, Object> nowStored) {
        Contents now = new Contents(nowStored);
        SortedSet<String> deliveries = new TreeSet<>(delivered);
        now.inFlight().forEach((incarnation, jobs) -> jobs.keySet()
                .forEach(token -> deliveries.add(delivery(incarnation, token))));
        return new CustodyState(processes, reapers, deliveries, now);
    }
}
