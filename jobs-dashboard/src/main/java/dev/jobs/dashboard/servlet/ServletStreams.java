package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.web.Problem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Streams live numbers as asynchronous answers of a servlet container. Thread-safe. */
final class ServletStreams implements AutoCloseable {

    private final ExecutorService writers;

    ServletStreams(int maxViewers, ThreadFactory threads) {
        // up to one thread per viewer, but mostly one or none: a write takes long only if the viewer doesn't read
        this.writers = new ThreadPoolExecutor(0, maxViewers, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /**
     * The response beneath those of filters that keep an answer until it is complete, such as Spring's one for ETags: a
     * stream never is. Filters between them and the server still see it; those above had to see it as bytes, too.
     */
    static HttpServletResponse uncached(HttpServletResponse response) {
        HttpServletResponse uncached = response;
        ServletResponse each = response;
        while (each instanceof ServletResponseWrapper wrapper) {
            each = wrapper.getResponse();
            if (wrapper instanceof ContentCachingResponseWrapper && each instanceof HttpServletResponse http) {
                uncached = http;
            }
        }
        return uncached;
    }

    /**
     * Lets the sender of a request view a stream, with a first event.
     *
     * @throws Problem if that isn't possible
     */
    void open(LiveStream stream, HttpServletRequest request, HttpServletResponse response, byte[] first) {
        LiveStream.Subscription subscription = stream.take();
        Viewer viewer = null;
        try {
            AsyncContext context = request.startAsync();
            context.setTimeout(LiveStream.LIFE.toMillis());
            viewer = new Viewer(subscription, context, response);
            context.addListener(viewer);
        } catch (IllegalStateException e) {
            throw new Problem(503, "busy", "A filter of this application allows no streams; poll instead");
        } finally {
            if (viewer == null) {
                subscription.leave();
            }
        }
        subscription.begin(viewer, first);
    }

    @Override
    public void close() {
        writers.shutdownNow(); // the streams have ended by then
    }

    private final class Viewer implements LiveStream.Viewer, AsyncListener {

        private final LiveStream.Subscription subscription;
        private final AsyncContext context;
        private final HttpServletResponse response;
        private final AtomicBoolean writing = new AtomicBoolean();

        Viewer(LiveStream.Subscription subscription, AsyncContext context, HttpServletResponse response) {
            this.subscription = subscription;
            this.context = context;
            this.response = response;
        }

        @Override
        public void send(byte[] frame) {
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

        @Override
        public void end() {
            if (subscription.leave()) {
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
            subscription.leave();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // streams are never restarted
        }
    }
}
