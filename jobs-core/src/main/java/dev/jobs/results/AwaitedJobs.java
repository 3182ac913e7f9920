package dev.jobs.results;

import dev.jobs.JobStoreException;
import dev.jobs.client.ResultStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets threads wait for the ends of jobs. While any thread waits, another one takes the jids of ended jobs from the
 * list of this client, in each shard; each waiting thread then reads its result. Thread-safe.
 *
 * <p>A result is written before its jid is told, and a waiting thread is known here before it reads for the first time.
 * So a job that ends at any moment is either read or told. What is lost with a connection is read again: all waiting
 * threads look when a call failed, and once more when no call of the lost connection can take jids any longer. What is
 * read counts more than what is told: a job may have been revived after the end that is told.
 */
final class AwaitedJobs implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AwaitedJobs.class);

    /** How long to wait after a failure. */
    private static final long PAUSE_MILLIS = 200;

    private static final class Waiter {
        private final Semaphore looks = new Semaphore(0);
        private volatile boolean told;

        void look() {
            looks.release();
        }
    }

    /** What a wait found. */
    record Found(byte @Nullable [] result, boolean told) {}

    private final ResultStore store;
    private final List<Listener> listeners;
    private volatile String client = newClient();

    // Guarded by this.
    private final Map<String, List<Waiter>> waiting = new HashMap<>();
    private boolean closed;

    AwaitedJobs(ResultStore store) {
        this.store = store;
        this.listeners = store.parts().stream().map(Listener::new).toList();
    }

    private static String newClient() {
        return UUID.randomUUID().toString();
    }

    /** The id under which this client is told of ends. */
    String client() {
        return client;
    }

    /** Takes an id that no other client has. Jobs that were submitted before are looked at each second. */
    void renewId() {
        client = newClient();
        lookAll(); // those who wait for earlier jobs would look at their deadline only
    }

    /** What is kept of a job now; null if there is nothing. */
    byte @Nullable [] find(String jid) {
        return store.find(jid);
    }

    /**
     * Waits for the end of a job.
     *
     * @param client the id under which it was submitted
     * @param isEnd whether what is kept says that the job has ended
     * @return what is kept at the end, or at the end of the time
     * @throws JobStoreException if the last look failed, or the client is closed meanwhile
     */
    Found await(String jid, String client, Duration atMost, Predicate<byte[]> isEnd) throws InterruptedException {
        long deadline = System.nanoTime() + nanos(atMost);
        Waiter waiter = new Waiter();
        try {
            enter(jid, waiter);
            boolean waits = store.beginWait();
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("Interrupted while waiting for job " + jid);
                }
                boolean told = waiter.told;
                JobStoreException failure = null;
                byte[] result = null;
                try {
                    result = store.find(jid);
                } catch (JobStoreException e) {
                    failure = e;
                }
                long left = deadline - System.nanoTime();
                boolean over = left <= 0 || !waits;
                boolean ends = over || isClosed();
                if (failure != null && ends) {
                    throw failure;
                }
                if (over || failure == null && (result == null ? told : isEnd.test(result))) {
                    return new Found(result, told);
                }
                if (told && result != null) {
                    waiter.told = false; // of an end before the job was revived
                }
                if (ends) {
                    throw new JobStoreException(
                            JobStoreException.Kind.UNREACHABLE,
                            "The client was closed while it waited for job " + jid,
                            null);
                }
                if (failure != null) {
                    left = Math.min(left, TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                } else if (!client.equals(this.client)) {
                    left = Math.min(left, store.longestCall().toNanos()); // a clone may be told in place of this one
                }
                if (waiter.looks.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                    waiter.looks.drainPermits();
                }
            }
        } finally {
            leave(jid, waiter);
        }
    }

    private static long nanos(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) > 0
                ? Duration.ofDays(36_500).toNanos()
                : Math.max(0, time.toNanos());
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void enter(String jid, Waiter waiter) {
        waiting.computeIfAbsent(jid, key -> new ArrayList<>()).add(waiter);
        if (!closed) {
            listeners.forEach(Listener::begin);
        }
    }

    private synchronized void leave(String jid, Waiter waiter) {
        List<Waiter> others = waiting.get(jid);
        if (others != null && others.remove(waiter) && others.isEmpty()) {
            waiting.remove(jid);
        }
    }

    /** Takes jids from one list of this client. */
    private final class Listener implements Runnable {

        private final ResultStore list;

        /** Until when all look after each call. Used by the listening thread alone, of which there is one at a time. */
        private volatile long lookUntil = System.nanoTime();

        /** Guarded by the outer instance. */
        private boolean listens;

        Listener(ResultStore list) {
            this.list = list;
        }

        /** To be called by who holds the lock of the outer instance. */
        void begin() {
            if (!listens) {
                Thread thread = new Thread(this, "jobs-client-replies");
                thread.setDaemon(true);
                thread.start();
                listens = true;
            }
        }

        @Override
        public void run() {
            try {
                listen();
            } catch (Throwable e) {
                synchronized (AwaitedJobs.this) {
                    listens = false; // the next who waits begins again
                }
                throw e;
            }
        }

        /** Goes on while anybody waits. */
        private void listen() {
            boolean failing = false;
            while (goesOn()) {
                try {
                    List<String> ended = list.next(client);
                    failing = false;
                    tell(ended);
                    if (lookUntil - System.nanoTime() > 0) {
                        lookAll();
                    }
                } catch (Throwable e) {
                    // A call of the lost connection may take jids until it ends by itself; one more is for the way
                    // there.
                    lookUntil = System.nanoTime()
                            + list.longestCall().multipliedBy(3).toNanos();
                    if (!failing && !isClosed()) {
                        failing = true;
                        log.warn("Ends of jobs are noticed later while Redis can't be listened to: {}", e.getMessage());
                    }
                    log.debug("Could not listen for the ends of jobs", e);
                    lookAll();
                    pause();
                }
            }
        }

        private boolean goesOn() {
            synchronized (AwaitedJobs.this) {
                listens = !closed && !waiting.isEmpty();
                return listens;
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            // nothing interrupts this thread on purpose
        }
    }

    private void tell(List<String> ended) {
        if (ended.contains(JobResults.ANY)) {
            lookAll();
        }
        synchronized (this) {
            for (String jid : ended) {
                for (Waiter waiter : waiting.getOrDefault(jid, List.of())) {
                    waiter.told = true;
                    waiter.look();
                }
            }
        }
    }

    private synchronized void lookAll() {
        waiting.values().forEach(all -> all.forEach(Waiter::look));
    }

    /** Ends all waits. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        lookAll();
    }
}
