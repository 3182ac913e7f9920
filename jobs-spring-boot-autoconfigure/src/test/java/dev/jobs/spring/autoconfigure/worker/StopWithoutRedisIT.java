package dev.jobs.spring.autoconfigure.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.assembly.JobEngine;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application that stops while Redis is away, as when both are shut down together. */
@ExtendWith(OutputCaptureExtension.class)
class StopWithoutRedisIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    @RepeatedTest(2)
    void leavesNoErrorInTheLogWhenRedisIsGone(CapturedOutput output) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        on(redis).run(context -> {
            JobEngine engine = context.getBean(JobEngine.class);
            await().atMost(PATIENCE).until(() -> engine.health().alive());
            ports.close(redis);
            await().atMost(PATIENCE).until(() -> engine.health().redisError() != null);
        });
        assertThat(output)
                .contains("WARN", "finished ones are settled when Redis answers again")
                .doesNotContain("ERROR", "\tat ");
    }

    @LongTest
    @RepeatedTest(2)
    void leavesNoErrorInTheLogWhenRedisGivesNoAnswer(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            try {
                on(redis).run(context -> {
                    JobEngine engine = context.getBean(JobEngine.class);
                    await().atMost(PATIENCE).until(() -> engine.health().alive());
                    signal(redis, "STOP");
                    await().atMost(PATIENCE).until(() -> engine.health().redisError() != null);
                });
            } finally {
                signal(redis, "CONT");
            }
        }
        assertThat(output)
                .contains("WARN", "finished ones are settled when Redis answers again")
                .doesNotContain("ERROR", "\tat ");
    }

    @LongTest
    @RepeatedTest(2)
    void leavesNoErrorInTheLogWhenTheWayToRedisIsGone(CapturedOutput output) throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        List<Closeable> full = new ArrayList<>();
        try {
            on(redis).run(context -> {
                JobEngine engine = context.getBean(JobEngine.class);
                await().atMost(PATIENCE).until(() -> engine.health().alive());
                redis.close();
                full.addAll(swallowing(redis.port()));
                await().atMost(PATIENCE).until(() -> engine.health().redisError() != null);
            });
        } finally {
            for (Closeable each : full) {
                each.close();
            }
        }
        assertThat(output)
                .contains("WARN", "finished ones are settled when Redis answers again")
                .doesNotContain("ERROR", "\tat ");
    }

    /** Occupies a port such that connection attempts get no answer at all. */
    private static List<Closeable> swallowing(int port) throws IOException {
        List<Closeable> sockets = new ArrayList<>();
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        sockets.add(server);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
        for (int i = 0; i < 3; i++) {
            SocketChannel waiting = SocketChannel.open();
            waiting.configureBlocking(false);
            waiting.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            sockets.add(waiting);
        }
        return sockets;
    }

    private static ApplicationContextRunner on(EmbeddedRedis redis) {
        return JobsContext.on(redis).withPropertyValues("spring.data.redis.timeout=20s");
    }

    private static void signal(EmbeddedRedis redis, String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(redis.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
