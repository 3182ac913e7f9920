package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.web.Problem;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/** Streams live numbers as answers of a reactive server. Thread-safe. */
final class ReactiveStreams {

    private final LiveStream stream;
    private final Duration life;

    /** @param life how long a stream lasts */
    ReactiveStreams(LiveStream stream, Duration life) {
        this.stream = stream;
        this.life = life;
    }

    /**
     * Streams live numbers, beginning with an event, until the viewer or the stream ends. An error is a {@link Problem}
     * if the stream can't begin.
     */
    Mono<Void> open(ServerHttpResponse response, byte[] first) {
        return Mono.defer(() -> {
            LiveStream.Subscription subscription = stream.take();
            DataBufferFactory buffers = response.bufferFactory();
            Flux<Mono<DataBuffer>> events = Flux.create(sink -> subscription.begin(new Viewer(sink, buffers), first));
            return response.writeAndFlushWith(events.take(life)).doFinally(end -> subscription.leave());
        });
    }

    private static final class Viewer implements LiveStream.Viewer {

        private final FluxSink<Mono<DataBuffer>> sink;
        private final DataBufferFactory buffers;
        private final AtomicBoolean waiting = new AtomicBoolean();

        Viewer(FluxSink<Mono<DataBuffer>> sink, DataBufferFactory buffers) {
            this.sink = sink;
            this.buffers = buffers;
        }

        /** The server asks for the content of an event once it has written the one before. */
        @Override
        public void send(byte[] frame) {
            if (waiting.compareAndSet(false, true)) {
                sink.next(Mono.fromSupplier(() -> {
                    waiting.set(false);
                    return buffers.wrap(frame);
                }));
            }
        }

        @Override
        public void end() {
            sink.complete();
        }
    }
}
