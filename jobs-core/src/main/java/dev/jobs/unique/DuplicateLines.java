package dev.jobs.unique;

import java.time.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Writes one line a minute for the duplicates of one lock, with the number of those since the line before. Remembers a
 * thousand locks. Thread-safe.
 */
final class DuplicateLines {

    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final int MOST = 1_000;

    private static final class Told {
        private final long at;
        private final String job;
        private long further;

        Told(long at, String job) {
            this.at = at;
            this.job = job;
        }
    }

    private final Logger log;
    private final Clock clock;

    /** By lock; the oldest line first. Guarded by this. */
    private final Map<String, Told> told = new LinkedHashMap<>();

    DuplicateLines(Logger log, Clock clock) {
        this.log = log;
        this.clock = clock;
    }

    /**
     * Jobs were refused.
     *
     * @param lock what refused them
     * @param job their name, for people
     * @param line what there is to say about them
     */
    synchronized void refused(String lock, String job, int jobs, String line) {
        long now = clock.millis();
        Told last = told.get(lock);
        if (last != null && isRecent(last, now)) {
            last.further += jobs;
            return;
        }
        told.remove(lock);
        forgetOld(now);
        told.put(lock, new Told(now, job));
        if (last == null || last.further == 0) {
            log.info("{}", line);
        } else {
            log.info("{}; duplicates since the last such line: {}", line, last.further);
        }
    }

    private static boolean isRecent(Told line, long now) {
        return now >= line.at && now - line.at < INTERVAL.toMillis();
    }

    /** Says how many there were of locks that refused nothing any more, and makes room. */
    private void forgetOld(long now) {
        for (Iterator<Told> all = told.values().iterator(); all.hasNext(); ) {
            Told oldest = all.next();
            if (told.size() < MOST && isRecent(oldest, now)) {
                return;
            }
            all.remove();
            sayFurther(oldest);
        }
    }

    private void sayFurther(Told line) {
        if (line.further > 0) {
            log.info(
                    "Calls of job {} that were refused as duplicates since the line that said so: {}",
                    line.job,
                    line.further);
        }
    }

    /** Says what is left to say. */
    synchronized void close() {
        told.values().forEach(this::sayFurther);
        told.clear();
    }
}
