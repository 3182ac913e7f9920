package dev.jobs.spring.web;

import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.codec.AnyFailure;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter.SseEventBuilder;

/**
 * The clients that watch batches. One thread reads all watched batches, from the first stream on. Each write to a
 * client has a thread of its own for as long as it takes, so a slow client delays no other. A client that still
 * receives an event skips those that come until then, but never the last one. Thread-safe.
 */
final class BatchStreams implements BackgroundLifecycle {

    /** How long a browser waits before it opens a stream again. */
    private static final Duration RECONNECT = Duration.ofSeconds(3);

    /** After how many readings without an event a client gets a comment, by which its end is noticed: 15 seconds. */
    static final int HEARTBEAT = 30;

    /** After how many readings a stream ends: 5 minutes. The next one checks the client's rights again. */
    static final int LIFE = 600;

    private static final Logger log = LoggerFactory.getLogger(BatchStreams.class);

    private final Batches batches;
    private final int most;
    private final Duration pause;
    private final ThreadFactory threads;
    private final Semaphore free;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private @Nullable ScheduledExecutorService reader;
    private @Nullable ThreadPoolExecutor writers;

    private volatile boolean open;

    /** Confined to the reader. */
    private boolean failing;

    /**
     * @param most how many streams may be open at once
     * @param pause how long to wait between two readings
     */
    BatchStreams(Batches batches, int most, Duration pause, ThreadFactory threads) {
        this.batches = batches;
        this.most = most;
        this.pause = pause;
        this.threads = threads;
        this.free = new Semaphore(most);
    }

    /** Opens a stream, with a first event. */
    SseEmitter open(BatchStatus batch, Object first, Function<? super BatchStatus, ?> view) {
        if (!open || !free.tryAcquire()) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    open
                            ? "All " + most + " streams of jobs.batches.max-streams are open; poll instead"
                            : "The application is stopping");
        }
        Watcher watcher = new Watcher(batch, view);
        watchers.add(watcher);
        try {
            watcher.write(batch, first); // kept until Spring opens the response
            watcher.writing.set(false);
        } catch (IOException e) {
            watcher.end();
            throw new UncheckedIOException(e);
        }
        startReading();
        if (!open) {
            watcher.end(); // stopped in the meantime
        }
        return watcher.emitter;
    }

    int count() {
        return watchers.size();
    }

    private synchronized void startReading() {
        if (open && reader == null) {
            reader = Executors.newSingleThreadScheduledExecutor(threads);
            reader.scheduleWithFixedDelay(this::tick, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private synchronized boolean onWriter(Runnable write) {
        if (!open) {
            return false;
        }
        if (writers == null) {
            writers = new ThreadPoolExecutor(0, most, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
        }
        try {
            writers.execute(write);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Reads the watched batches and sends what is new. Throws nothing, or it would not be called again. */
    void tick() {
        try {
            Map<String, BatchStatus> found = null;
            if (!watchers.isEmpty()) {
                found = read();
            }
            for (Watcher watcher : watchers) {
                watcher.look(found);
            }
        } catch (Throwable e) {
            AnyFailure.log(log, Level.WARN, "Sending the progress of batches failed; trying again", e);
        }
    }

    /** Returns null if Redis can't be read now. */
    private @Nullable Map<String, BatchStatus> read() {
        try {
            Map<String, BatchStatus> found =
                    batches.findAll(watchers.stream().map(each -> each.id).collect(Collectors.toSet()));
            if (failing) {
                failing = false;
                log.info("Reading watched batches works again");
            }
            return found;
        } catch (Throwable e) {
            if (!failing) {
                failing = true;
                AnyFailure.log(log, Level.WARN, "Reading watched batches failed; retrying", e);
            }
            return null;
        }
    }

    @Override
    public void start() {
        open = true;
    }

    /** Ends all streams, since a server that stops gracefully waits for open requests. */
    @Override
    public void stop() {
        open = false;
        watchers.forEach(Watcher::end);
        synchronized (this) {
            if (reader != null) {
                reader.shutdownNow();
                reader = null;
            }
            if (writers != null) {
                writers.shutdownNow();
                writers = null;
            }
        }
    }

    @Override
    public boolean isRunning() {
        return open;
    }

    /** Stops first of all. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    /** A client. */
    private final class Watcher {

        private final String id;
        private final Function<? super BatchStatus, ?> view;
        private final SseEmitter emitter = new SseEmitter(0L); // ends by LIFE
        /** Until the first event is written, or the reader might send a newer one before it. */
        private final AtomicBoolean writing = new AtomicBoolean(true);

        // Confined to the reader.
        private String sent;
        private int quiet;
        private int age;

        Watcher(BatchStatus batch, Function<? super BatchStatus, ?> view) {
            this.id = batch.id();
            this.sent = batch.version();
            this.view = view;
            emitter.onCompletion(this::gone);
            emitter.onTimeout(this::end);
            emitter.onError(failure -> gone());
        }

        /** @param found null if the batches could not be read */
        void look(@Nullable Map<String, BatchStatus> found) {
            age++;
            quiet++;
            BatchStatus batch = found == null ? null : found.get(id);
            if (age > LIFE || found != null && batch == null) {
                end();
            } else if (batch != null && !batch.version().equals(sent)) {
                if (send(() -> write(batch, view.apply(batch)))) {
                    sent = batch.version();
                    quiet = 0;
                }
            } else if (quiet >= HEARTBEAT
                    && send(() -> emitter.send(SseEmitter.event().comment("")))) {
                quiet = 0;
            }
        }

        /** Returns whether the event will be sent. */
        private boolean send(Write write) {
            if (!writing.compareAndSet(false, true)) {
                return false;
            }
            boolean begins = onWriter(() -> {
                try {
                    write.run();
                } catch (IOException | IllegalStateException e) {
                    log.debug("A client that watched batch {} is gone", id, e);
                    end();
                } catch (Throwable e) {
                    AnyFailure.log(log, Level.WARN, "The progress of batch " + id + " can't be shown", e);
                    end();
                } finally {
                    writing.set(false);
                }
            });
            if (!begins) {
                writing.set(false);
            }
            return begins;
        }

        void write(BatchStatus batch, Object body) throws IOException {
            SseEventBuilder event = SseEmitter.event()
                    .name(batch.isFinished() ? "finished" : "progress")
                    .id(batch.version())
                    .reconnectTime(RECONNECT.toMillis())
                    .data(body, MediaType.APPLICATION_JSON);
            emitter.send(event);
            if (batch.isFinished()) {
                end();
            }
        }

        private boolean gone() {
            boolean first = watchers.remove(this);
            if (first) {
                free.release();
            }
            return first;
        }

        void end() {
            if (gone()) {
                try {
                    emitter.complete();
                } catch (RuntimeException e) {
                    log.debug("The container ended the stream of batch {} first", id, e);
                }
            }
        }

        /** Something that sends. */
        private interface Write {
            void run() throws IOException;
        }
    }
}
