package dev.jobs.metrics;

import dev.jobs.redis.RedisKeys;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The names of the keys of metrics: Sidekiq's, and our own of durations. */
record MetricKeys(RedisKeys keys) {

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("uuuuMMdd", Locale.ROOT);
    private static final DateTimeFormatter SHORT_DAY = DateTimeFormatter.ofPattern("uuMMdd", Locale.ROOT);

    /**
     * The results of executions in one minute.
     *
     * @param utc any time in it
     */
    byte[] minute(LocalDateTime utc) {
        return keys.key(tenMinutesName(utc) + utc.getMinute() % 10);
    }

    /** The same for ten minutes. */
    byte[] tenMinutes(LocalDateTime utc) {
        return keys.key(tenMinutesName(utc));
    }

    /** How long executions ran and waited in ten minutes. */
    byte[] timings(LocalDateTime utc) {
        return keys.key("jobs:times:" + tenMinutesName(utc).substring(2));
    }

    private static String tenMinutesName(LocalDateTime utc) {
        return "j|" + SHORT_DAY.format(utc) + "|" + utc.getHour() + ":" + utc.getMinute() / 10;
    }

    /** The times of executions of one job in one minute. Unlike the others, it has no zero before the minute. */
    byte[] histogram(String job, LocalDateTime utc) {
        return keys.key("h|" + job + "-" + utc.getDayOfMonth() + "-" + utc.getHour() + ":" + utc.getMinute());
    }

    byte[] deployMarks(LocalDate day) {
        return keys.key(DAY.format(day) + "-marks");
    }

    byte[] deployLock(String label) {
        return keys.key("deploylock-" + label);
    }

    /** The last number of each process whose sums were added. */
    byte[] calls(String process) {
        return keys.key("jobs:metrics:" + process);
    }
}
