package dev.jobs.dashboard.live;

import dev.jobs.Internal;
import dev.jobs.admin.Stats;

/** The most important numbers of an installation, as pages show them; or sums of those of several. */
@Internal
public record Totals(
        long processed,
        long failed,
        long enqueued,
        long parked,
        long scheduled,
        long retries,
        long dead,
        long busy,
        int processes) {

    public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Totals of(Stats stats) {
        return new Totals(
                stats.processed(),
                stats.failed(),
                stats.enqueued(),
                stats.parked(),
                stats.scheduled(),
                stats.retries(),
                stats.dead(),
                stats.busy(),
                stats.processes());
    }

    /** @param both how many processes there are in both together: one may be in each */
    public Totals plus(Totals other, int both) {
        return new Totals(
                processed + other.processed,
                failed + other.failed,
                enqueued + other.enqueued,
                parked + other.parked,
                scheduled + other.scheduled,
                retries + other.retries,
                dead + other.dead,
                busy + other.busy,
                both);
    }
}
