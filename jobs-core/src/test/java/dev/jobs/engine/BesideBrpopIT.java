package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.testing.RedisFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A worker at the same queue as one that takes jobs with {@code BRPOP}, as Sidekiq does. The latter is served first
 * while it is idle.
 */
class BesideBrpopIT {

    private static final int JOBS = 200;
    private static final Pattern JID = Pattern.compile("\"jid\":\"(\\w+)\"");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Set<String> ran = ConcurrentHashMap.newKeySet();
    private final Set<String> popped = ConcurrentHashMap.newKeySet();
    private final AtomicInteger twice = new AtomicInteger();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @Job("Once")
    void once(String id) {
        note(ran, id);
    }

    private void note(Set<String> by, String id) {
        if (ran.contains(id) || popped.contains(id) || !by.add(id)) {
            twice.incrementAndGet();
        }
    }

    private void push(String id) {
        bed.push("default", payload("Once", id, "[\"" + id + "\"]"));
    }

    private int taken() {
        return ran.size() + popped.size();
    }

    private void pushOneByOne(String name, int count) {
        for (int i = 0; i < count; i++) {
            int expected = taken() + 1;
            push(name + i);
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> taken() == expected);
        }
    }

    /** Takes one after the other until its connection is closed. */
    private void pop(Socket socket) {
        try (BufferedReader answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            while (true) {
                socket.getOutputStream().write("BRPOP queue:default 0\r\n".getBytes(UTF_8));
                String line = answers.readLine();
                while (line != null && !line.startsWith("{")) {
                    line = answers.readLine();
                }
                if (line == null) {
                    return;
                }
                Matcher jid = JID.matcher(line);
                assertThat(jid.find()).isTrue();
                note(popped, jid.group(1));
            }
        } catch (IOException e) {
            if (!socket.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Redis serves clients that pop before those that only look at the queue, as a standing claim does, so the latter
     * finds nothing.
     */
    @Test
    void losesNothingAndStopsStandingUntilTheOtherOneIsGone() throws Exception {
        bed.start(this);
        pushOneByOne("alone", 10);
        assertThat(ran).hasSize(10);
        assertThat(redis.calls("blmove")).as("claims stand").isPositive();
        Thread other;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port())) {
            other = new Thread(() -> pop(socket));
            other.start();
            await().until(() -> redis.texts().clientList().lines().anyMatch(client -> client.contains(" cmd=brpop ")));
            redis.texts().configResetstat();
            pushOneByOne("beside", JOBS);

            assertThat(redis.calls("blmove")).as("no claim stands in vain").isLessThan(JOBS / 2);
        }
        other.join();
        await().until(() -> redis.texts().clientList().lines().noneMatch(client -> client.contains(" cmd=brpop ")));
        pushOneByOne("again", 20);

        assertThat(ran).filteredOn(id -> id.startsWith("again")).hasSize(20);
        assertThat(twice).hasValue(0);
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }
}
