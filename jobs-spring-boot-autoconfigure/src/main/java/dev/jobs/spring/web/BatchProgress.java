package dev.jobs.spring.web;

import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.spring.BatchView;
import java.time.Clock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Answers requests for the progress of a batch, for the controllers of a Spring MVC application.
 *
 * <pre>{@code
 * @GetMapping("/imports/{id}")
 * ResponseEntity<BatchView> one(@PathVariable String id) {
 *     return progress.poll(id);
 * }
 *
 * @GetMapping("/imports/{id}/events")
 * ResponseEntity<SseEmitter> events(@PathVariable String id) {
 *     return progress.stream(id);
 * }
 * }</pre>
 *
 * <p>An id is no secret: compare {@link BatchStatus#createdBy} where batches have owners. A view may do that, since
 * each call first applies it on the thread of the request, where an exception becomes the answer.
 *
 * <p>Thread-safe. Each call throws {@link ResponseStatusException} with status 404 if there is no such batch, and
 * {@link dev.jobs.JobStoreException} if Redis can't be reached.
 */
public final class BatchProgress {

    private final Batches batches;
    private final BatchStreams streams;
    private final Clock clock;

    BatchProgress(Batches batches, BatchStreams streams, Clock clock) {
        this.batches = batches;
        this.streams = streams;
        this.clock = clock;
    }

    /** As {@link #poll(String, Function)}, with all of a batch that a page may show. */
    public ResponseEntity<BatchView> poll(String id) {
        return poll(id, this::view);
    }

    /**
     * The batch at this moment, for clients that poll: with an ETag, so a client that sends it back in
     * {@code If-None-Match} gets 304 while nothing changes, on every instance of the application.
     *
     * @param view makes the body
     */
    public <T> ResponseEntity<T> poll(String id, Function<? super BatchStatus, ? extends T> view) {
        BatchStatus batch = find(id);
        return ResponseEntity.ok()
                .eTag("W/\"" + batch.version() + "\"")
                .cacheControl(CacheControl.noCache().cachePrivate())
                .body(view.apply(batch));
    }

    /** As {@link #stream(String, Function)}, with all of a batch that a page may show. */
    public ResponseEntity<SseEmitter> stream(String id) {
        return stream(id, this::view);
    }

    /**
     * The progress of a batch as server-sent events: {@code progress} now and after each change, at most two a second,
     * and {@code finished} as the last one. The id of an event is the {@linkplain BatchStatus#version version}. Ends
     * after five minutes or if the batch is gone. A browser then opens the stream again; if it has seen the batch
     * finished, it gets 204, after which it doesn't come back.
     *
     * <p>One thread asks Redis for all batches that the clients of this process watch, with one call for each hundred.
     *
     * @param view makes the body of each event; called by several threads
     * @throws ResponseStatusException also with status 503 if {@code jobs.batches.max-streams} are open
     */
    public ResponseEntity<SseEmitter> stream(String id, Function<? super BatchStatus, ?> view) {
        BatchStatus batch = find(id);
        Object first = view.apply(batch);
        if (batch.isFinished() && batch.version().equals(lastSeen())) {
            return ResponseEntity.noContent().build();
        }
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noStore())
                .header("X-Accel-Buffering", "no") // or nginx holds events back
                .body(streams.open(batch, first, view));
    }

    private BatchView view(BatchStatus batch) {
        return BatchView.of(batch, clock.instant());
    }

    private BatchStatus find(String id) {
        return batches.find(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no batch " + id));
    }

    private static @Nullable String lastSeen() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes.getRequest().getHeader("Last-Event-ID")
                : null;
    }
}
