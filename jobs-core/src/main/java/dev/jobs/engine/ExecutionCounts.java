package dev.jobs.engine;

import dev.jobs.Payload;
import dev.jobs.redis.JobMetrics.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Counts what came of executions, by job, until it is taken away. Who ran a job looks up its numbers and adds to one of them, or to two if
 * the job took a millisecond or longer. Thread-safe.
 */
final class ExecutionCounts {

    /** Names that come from payloads, not from the jobs of this application. */
    private static final int MOST_FOREIGN_NAMES = 1_000;

    /** What a job may be named; anything else could not be told apart again, or would be no name to show. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}|]{1,200}");

    private final Map<String, Tally> tallies = new ConcurrentHashMap<>();

    /**
     * A job of this application was run.
     *
     * @param name what people call it
     * @param nanos how long it took
     */
    void ended(Payload payload, String name, boolean failed, long nanos) {
        String wrapped = payload.text("wrapped"); // as Sidekiq counts, with or without an envelope
        tally(payload, wrapped == null ? name : wrapped).add(failed, Math.max(0, nanos) / 1_000_000);
    }

    private Tally tally(Payload payload, String name) {
        Tally known = tallies.get(name);
        if (known != null) {
            return known;
        }
        String own = String.valueOf(payload.name()); // a name of this application, of which there are only so many
        boolean usable = name.equals(own) || NAME.matcher(name).matches() && tallies.size() < MOST_FOREIGN_NAMES;
        return tallies.computeIfAbsent(usable ? name : own, each -> new Tally());
    }

    /** Takes away what was counted since the last time. Threads that count meanwhile are counted now or the next time. */
    List<Counted> take() {
        List<Counted> taken = new ArrayList<>();
        tallies.forEach((name, tally) -> {
            Counted counted = tally.take(name);
            if (counted != null) {
                taken.add(counted);
            }
        });
        return taken;
    }
}
