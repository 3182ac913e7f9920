package dev.jobs.shards;

import dev.jobs.Payload;
import dev.jobs.limits.LimitStates.Waiting;
import dev.jobs.shards.TransferSource.Fate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One way through the parked jobs of a queue, limit by limit, the newest first. Not thread-safe. */
final class ParkedWalk {

    /** Those of a page that may go, with their ids. */
    record Some(String limit, List<Waiting> jobs, List<String> jids) {}

    private final TransferSource source;
    private final StayingJobs staying;
    private final String queue;
    private final Deque<String> limits;
    private long from;

    ParkedWalk(TransferSource source, StayingJobs staying, String queue, Collection<String> limits) {
        this.source = source;
        this.staying = staying;
        this.queue = queue;
        this.limits = new ArrayDeque<>(new TreeSet<>(limits));
    }

    /** Where it is, for the process that goes on with it; empty if it is over. */
    String saved() {
        return limits.isEmpty() ? "" : from + " " + limits.element();
    }

    /** Goes to where another one was. */
    void goOn(String saved) {
        int blank = saved.indexOf(' ');
        if (!saved.matches("\\d{1,18} .*")) {
            return; // of another version: a new walk does no harm
        }
        String limit = saved.substring(blank + 1);
        while (!limits.isEmpty() && limits.element().compareTo(limit) < 0) {
            limits.remove();
        }
        if (limit.equals(limits.peek())) {
            from = Long.parseLong(saved.substring(0, blank));
        }
    }

    /** Those of the next page, maybe none; null if there are no more pages. */
    @Nullable Some next() {
        while (!limits.isEmpty()) {
            String limit = limits.element();
            List<Waiting> page = source.readParked(limit, from);
            if (page.isEmpty()) {
                limits.remove();
                from = 0;
                continue;
            }
            List<Waiting> jobs = new ArrayList<>();
            List<String> jids = new ArrayList<>();
            for (Waiting each : page) {
                Payload payload = each.queue().equals(queue) ? StayingJobs.read(each.payload()) : null;
                if (payload != null && staying.why(payload, TransferSlice.Place.QUEUE) == null) {
                    jobs.add(each);
                    jids.add(payload.jid() == null ? "" : String.valueOf(payload.jid()));
                } else {
                    from++;
                }
            }
            return new Some(limit, jobs, jids);
        }
        return null;
    }

    /** Passes over those that stay. */
    void note(Some some, List<Fate> fates) {
        from += fates.isEmpty()
                ? some.jobs().size()
                : fates.stream()
                        .filter(fate -> fate == Fate.BEGUN || fate == Fate.RECOVERED)
                        .count();
    }
}
