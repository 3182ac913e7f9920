package dev.jobs.dashboard.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PulseTests {

    private final LiveStream stream = new LiveStream(1);
    private final List<String> sent = new ArrayList<>();
    private final AtomicReference<Error> failure = new AtomicReference<>();

    /** A scheduler never calls again what has thrown something. */
    @Test
    void noErrorEndsTheTicks() {
        Pulse<Map<String, Object>> pulse = new Pulse<>(
                () -> {
                    if (failure.get() != null) {
                        throw failure.get();
                    }
                    return Map.of("busy", 7);
                },
                new Clock() {
                    private Instant now = Instant.EPOCH;

                    @Override
                    public ZoneId getZone() {
                        return ZoneOffset.UTC;
                    }

                    @Override
                    public Clock withZone(ZoneId zone) {
                        return this;
                    }

                    @Override
                    public Instant instant() {
                        now = now.plus(Pulse.INTERVAL);
                        return now;
                    }
                },
                stream);
        stream.start();
        stream.take()
                .begin(
                        new LiveStream.Viewer() {
                            @Override
                            public void send(byte[] frame) {
                                sent.add(new String(frame, UTF_8));
                                if (sent.size() == 2) {
                                    throw new IllegalStateException("of the viewer");
                                }
                            }

                            @Override
                            public void end() {}
                        },
                        new byte[0]);
        sent.clear();

        failure.set(new NoClassDefFoundError("of a driver"));
        pulse.tick();
        failure.set(null);
        pulse.tick();
        pulse.tick();

        assertThat(sent).hasSize(3);
        assertThat(sent.get(0)).contains("event: down");
        assertThat(sent.get(2)).contains("event: live", "\"busy\":7");
    }
}
