package dev.jobs.dashboard;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The pages that get live numbers, as server-sent events. Each event goes to all of them; a slow page skips the events
 * that come while it still receives one, so it doesn't delay the others. A stream ends after a while and the browser
 * reopens it, which checks the viewer's access again. Thread-safe.
 */
final class LiveStream implements AutoCloseable {

    private static final Duration LIFE = Duration.ofMinutes(5);

    private final ExecutorService writers;
    private final Semaphore places;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private volatile boolean open;

    LiveStream(int maxViewers, ThreadFactory threads) {
        // up to one thread per viewer, but mostly one or none: a write takes long only if the viewer doesn't read
        this.writers = new ThreadPoolExecutor(0, maxViewers, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
        this.places = new Semaphore(maxViewers);
    }

    /** Opens a stream to the sender of a request, with a first event. */
    void open(HttpServletRequest request, HttpServletResponse response, byte[] first) {
        if (!open || !places.tryAcquire()) {
            throw new Problem(503, "busy", "The maximum number of pages gets live numbers already; poll instead");
        }
        Viewer viewer = null;
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader("X-Accel-Buffering", "no");
            AsyncContext context = request.startAsync();
            context.setTimeout(LIFE.toMillis());
            viewer = new Viewer(context, response);
            context.addListener(viewer);
            viewers.add(viewer);
        } catch (IllegalStateException e) {
            throw new Problem(503, "busy", "A filter of this application allows no streams; poll instead");
        } finally {
            if (viewer == null) {
                places.release();
            }
        }
        viewer.send(first);
        if (!open) {
            viewer.end(); // closed in the meantime
        }
    }

    boolean hasViewers() {
        return !viewers.isEmpty();
    }

    /** Sends an event to every viewer that has received the previous one. */
    void send(byte[] frame) {
        viewers.forEach(viewer -> viewer.send(frame));
    }

    void start() {
        open = true;
    }

    /** Ends all streams and accepts no more: a stopping server waits for all its requests. */
    void stop() {
        open = false;
        viewers.forEach(Viewer::end);
    }

    @Override
    public void close() {
        stop();
        writers.shutdownNow();
    }

    private final class Viewer implements AsyncListener {

        private final AsyncContext context;
        private final HttpServletResponse response;
        private final AtomicBoolean writing = new AtomicBoolean();

        Viewer(AsyncContext context, HttpServletResponse response) {
            this.context = context;
            this.response = response;
        }

        void send(byte[] frame) {
            if (writing.compareAndSet(false, true)) {
                try {
                    writers.execute(() -> write(frame));
                } catch (RuntimeException e) {
                    writing.set(false); // no thread available: the next event will do
                }
            }
        }

        private void write(byte[] frame) {
            try {
                response.getOutputStream().write(frame);
                response.flushBuffer();
                writing.set(false);
            } catch (IOException | RuntimeException e) {
                end(); // the viewer is gone, as most streams end
            }
        }

        void end() {
            if (viewers.remove(this)) {
                places.release();
                try {
                    context.complete();
                } catch (RuntimeException e) {
                    // the container completed it first
                }
            }
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            end();
        }

        @Override
        public void onError(AsyncEvent event) {
            end();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            if (viewers.remove(this)) {
                places.release();
            }
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // streams are never restarted
        }
    }
}
