package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.InterruptibleRun;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns which jobs were cancelled: all before the process claims its first job, then what is new as soon as a
 * heartbeat says that there is something new. Interrupts running jobs. Thread-safe.
 */
@Internal
public final class CancelNews {

    private static final Logger log = LoggerFactory.getLogger(CancelNews.class);

    /** With so many more known than are stored, those that have ended are forgotten here, too. */
    private static final int MOST_ENDED = 1_000;

    private final Cancellations stored;
    private final CancelledJobs jobs;
    private final Capsules capsules;

    // Guarded by this.
    /** What the last heartbeat said. */
    private String heard = "";

    private double upTo;

    /** Why cancellations could not be read, until it is logged. */
    private @Nullable JobStoreException unread;

    public CancelNews(Cancellations stored, CancelledJobs jobs, Capsules capsules) {
        this.stored = stored;
        this.jobs = jobs;
        this.capsules = capsules;
    }

    /**
     * Reads all cancellations. A key that can't be read must not keep a worker from its jobs.
     *
     * @param over reads them
     * @throws JobStoreException if Redis can't be reached
     */
    public synchronized void readAll(Cancellations over) {
        try {
            List<String> jids = new ArrayList<>();
            upTo = over.read(0, jids::addAll);
            jobs.replace(jids);
        } catch (JobStoreException e) {
            switch (e.kind()) {
                // Told once a heartbeat is answered: if that fails as well, the reason is no matter of this key.
                case WRONG_TYPE, DENIED, OTHER -> unread = e;
                default -> throw e;
            }
        }
    }

    /**
     * A heartbeat was answered.
     *
     * @param newest the time of the newest cancellation, empty if there is none
     */
    public synchronized void heard(String newest) {
        if (unread != null) {
            log.warn("Can't read which jobs are cancelled, so they run: {}", unread.getMessage());
            unread = null;
        }
        if (newest.equals(heard)) {
            return;
        }
        if (newest.isEmpty() || Double.parseDouble(newest) < upTo || jobs.size() > 2 * stored.count() + MOST_ENDED) {
            readAll(stored); // the data are others, or many have ended
        } else {
            upTo = stored.read(upTo, jobs::add);
        }
        heard = newest;
        capsules.jobs().filter(job -> jobs.contains(job.jid())).forEach(InterruptibleRun::interruptCancelled);
    }
}
