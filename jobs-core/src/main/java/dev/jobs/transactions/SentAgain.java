package dev.jobs.transactions;

import dev.jobs.JobStoreException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What committed transactions left to do and a shard did not take at once, as the log tells it: a warning at the
 * beginning of an outage, a count now and then, and one at the end, however many transactions there are. Guarded by the
 * lock of its owner.
 */
final class SentAgain {

    private static final Logger log = LoggerFactory.getLogger(SentAgain.class);

    /** Between two lines about one outage. */
    private static final long PAUSE = Duration.ofSeconds(30).toNanos();

    private final String where;
    private final Duration patience;
    private final LongSupplier nanoTime;
    private final Map<CommittedWork.Unit, Integer> all = new EnumMap<>(CommittedWork.Unit.class);
    private final Map<CommittedWork.Unit, Integer> givenUp = new EnumMap<>(CommittedWork.Unit.class);
    private int left;
    private boolean open;
    private long since;
    private long told;

    SentAgain(String shard, Duration patience, LongSupplier nanoTime) {
        this.where = shard.isEmpty() ? "" : " of shard '" + shard + "'";
        this.patience = patience;
        this.nanoTime = nanoTime;
    }

    /** Some were not taken, and are sent again. */
    void failed(CommittedWork.Unit unit, int count, JobStoreException failure) {
        left += count;
        all.merge(unit, count, Integer::sum);
        if (open) {
            tellProgress();
            return;
        }
        open = true;
        since = nanoTime.getAsLong();
        told = since;
        log.warn(
                "Jobs and batches{} of committed transactions wait in memory, and are sent again for {} s after their "
                        + "commit, and then given up, each named by an error: {}",
                where,
                seconds(patience),
                failure.getMessage());
    }

    /** Some of these are no longer sent. */
    void ended(CommittedWork.Unit unit, int count, int lost) {
        left -= count;
        if (lost > 0) {
            givenUp.merge(unit, lost, Integer::sum);
            tellProgress();
        }
    }

    /** The shard took something. */
    void answered() {
        if (open && left == 0) {
            log.info("Redis takes jobs and batches{} again after {} s. {}", where, age(), counts());
            forget();
        }
    }

    /** The client closes. */
    void close() {
        if (open) {
            log.warn("The client closes while Redis takes no jobs or batches{}. {}", where, counts());
            forget();
        }
    }

    private void tellProgress() {
        long now = nanoTime.getAsLong();
        if (now - told >= PAUSE) {
            told = now;
            log.warn("Redis has not taken all jobs and batches{} for {} s. {}", where, age(), counts());
        }
    }

    private void forget() {
        open = false;
        all.clear();
        givenUp.clear();
    }

    private String age() {
        return seconds(Duration.ofNanos(nanoTime.getAsLong() - since));
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private String counts() {
        return "Sent again: " + counted(all) + ". Given up: " + counted(givenUp);
    }

    private static String counted(Map<CommittedWork.Unit, Integer> counts) {
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream()
                        .map(each -> each.getKey().counted(each.getValue()))
                        .collect(Collectors.joining(" and "));
    }
}
