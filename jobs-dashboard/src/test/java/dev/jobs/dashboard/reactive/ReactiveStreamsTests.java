package dev.jobs.dashboard.reactive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.web.Problem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ReactiveStreamsTests {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LiveStream stream = new LiveStream(1);
    private final MockServerHttpResponse response = new MockServerHttpResponse();
    private final Sinks.Empty<Void> writable = Sinks.empty();
    private final List<String> written = new CopyOnWriteArrayList<>();

    /** A connection that writes nothing until the test lets it. */
    @BeforeEach
    void connect() {
        stream.start();
        response.setWriteHandler(contents -> {
            contents.concatMap(content -> writable.asMono().thenReturn(content), 1)
                    .subscribe(content -> written.add(content.toString(UTF_8)));
            return Mono.never();
        });
    }

    private static byte[] event(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void aSlowViewerSkipsEvents() {
        new ReactiveStreams(stream, LONG).open(response, event("first")).subscribe();
        for (int i = 0; i < 100; i++) {
            stream.send(event("event " + i));
        }
        writable.tryEmitEmpty();
        stream.send(event("last"));

        assertThat(written).startsWith("first").endsWith("last").hasSizeLessThan(5);
    }

    @Test
    void aViewerThatLeavesMakesRoom() {
        ReactiveStreams streams = new ReactiveStreams(stream, LONG);
        var viewing = streams.open(response, event("first")).subscribe();
        assertThat(stream.hasViewers()).isTrue();
        assertThatExceptionOfType(Problem.class).isThrownBy(() -> streams.open(new MockServerHttpResponse(), event("x"))
                .block(PATIENCE));

        viewing.dispose();

        assertThat(stream.hasViewers()).isFalse();
        stream.take().leave();
    }

    @Test
    void endsAfterItsTime() {
        new ReactiveStreams(stream, Duration.ofMillis(10))
                .open(new MockServerHttpResponse(), event("first"))
                .block(PATIENCE);

        await().atMost(PATIENCE).until(() -> !stream.hasViewers()); // the subscription ends after the end is told
    }
}
