package dev.jobs.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is sent of metrics during outages of Redis. */
@Tag("sidekiq-16")
class MetricsReportIT {

    private static final String MINUTE = "j|261121|5:08";
    private static final String TIMES = "jobs:times:261121|5:0";
    private static final String NEXT_MINUTE = "j|261121|5:09";

    @RegisterExtension
    private final LogLines lines = LogLines.of(MetricsReport.class);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T05:08:42Z"));
    private final AtomicLong ahead = new AtomicLong();
    private final ExecutionCounts counts = new ExecutionCounts();
    private RedisFixture redis;
    private RedisProxy proxy;
    private RedisConnection connection;
    private RedisConnection faulty;
    private Lease lease;

    @BeforeEach
    void start() {
        redis = RedisFixture.start();
        proxy = new RedisProxy(redis.port());
        connection = redis.connections("").open("test");
        faulty = redis.connections("", proxy.port()).open("faulty");
    }

    @AfterEach
    void close() {
        connection.close();
        faulty.close();
        proxy.close();
        redis.close();
    }

    private MetricsReport report(RedisConnection to) {
        EngineEnvironment system = EngineEnvironment.system();
        InstantSource time = now::get;
        Clock clock = time.withZone(ZoneOffset.UTC);
        EngineEnvironment environment = new EngineEnvironment(
                clock,
                () -> system.nanoTime().getAsLong() + ahead.get(),
                system.random(),
                system.processorThreads(),
                system.outOfMemory());
        AtomicInteger identities = new AtomicInteger();
        lease = new Lease(
                () -> "me" + identities.incrementAndGet(), new Timing(Duration.ofSeconds(20)), environment.nanoTime());
        RunContext context = RunContext.of(
                environment,
                PayloadTimes.MILLISECONDS,
                JobHooks.none(),
                EngineTestBed.unlimited(),
                RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
                lease,
                3,
                new AtomicInteger());
        return new MetricsReport(
                new JobMetrics(to, new RedisKeys("")), new DeployMarks(to, new RedisKeys("")), counts, context, "");
    }

    private void ran(int times) {
        Payload payload = Payload.parse("{\"class\":\"Hello\",\"args\":[]}".getBytes(UTF_8));
        for (int i = 0; i < times; i++) {
            counts.ended(payload, "Hello", "default", false, 0, 0);
        }
    }

    private String count(String minute) {
        return redis.texts().hget(minute, "Hello|p");
    }

    @Test
    void countsThatRedisRefusedAreSentLaterForTheMinuteOfThatTime() {
        MetricsReport report = report(connection);
        ran(1);
        report.send();
        redis.stop();
        ran(2);
        report.send();
        ran(3);
        report.send();
        redis.startAgain();
        now.set(now.get().plusSeconds(60));
        report.send();

        assertThat(count(NEXT_MINUTE)).isEqualTo("5");
        assertThat(lines.events()).as("outages are logged elsewhere").isEmpty();
    }

    @Test
    void countsThatRedisStoredWithoutAnAnswerCountOnce() {
        MetricsReport report = report(faulty);
        ran(1);
        report.send();
        for (int i = 0; i < 3; i++) {
            ran(1);
            proxy.loseAnswers(1);
            report.send();
            assertThat(proxy.answersLeftToLose()).isZero();
            ran(1);
            now.set(now.get().plusSeconds(60));
            report.send();
        }

        assertThat(count(MINUTE)).as("the first, and the one without an answer").isEqualTo("2");
        assertThat(redis.texts().keys("j|261121|5:??").stream()
                        .mapToLong(minute -> Long.parseLong(count(minute)))
                        .sum())
                .isEqualTo(7);
    }

    /** A copy of this process counts under the same numbers until one of them notices. */
    @Test
    void countsUnderANewIdentityAreStored() {
        MetricsReport report = report(connection);
        ran(1);
        report.send();
        assertThat(redis.texts().keys("*me1*")).singleElement().satisfies(key -> redis.texts()
                .set(key, "1000"));

        lease.cloned(lease.current());
        ran(1);
        report.send();

        assertThat(count(MINUTE)).isEqualTo("2");
    }

    @Test
    void aMissingPermissionIsLoggedOnceAndEndsNothing() {
        MetricsReport report = report(connection);
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA));
        for (int i = 0; i < 3; i++) {
            ran(1);
            report.send();
        }
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        assertThat(lines.events()).hasSize(1);
        assertThat(lines.events().get(0).getFormattedMessage())
                .contains("Metrics")
                .contains("Jobs are not affected");
        report.send();

        assertThat(count(MINUTE)).isEqualTo("3");
    }

    @Test
    void aKeyOfAnotherTypeIsLoggedOnceAndCostsOnlyItsOwnData() {
        MetricsReport report = report(connection);
        redis.texts().set(MINUTE, "text");
        for (int i = 0; i < 3; i++) {
            ran(1);
            report.send();
        }

        assertThat(lines.events()).hasSize(1);
        assertThat(redis.texts().hget("j|261121|5:0", "Hello|p")).isEqualTo("3");
    }

    @Test
    void timesGoTogetherEveryTenSecondsAndAtTheEnd() {
        MetricsReport report = report(connection);
        ran(1);
        report.send();
        assertThat(redis.texts().exists(TIMES)).isZero();
        ran(2);
        report.send();
        ahead.addAndGet(Duration.ofSeconds(10).toNanos());
        report.send();
        assertThat(redis.texts().hgetall(TIMES)).isEqualTo(Map.of("jHello", "0:3 26:3", "qdefault", "0:3 26:3"));
        ran(1);
        report.send();
        report.sendAll();
        report.sendAll();

        assertThat(redis.texts().hget(TIMES, "jHello")).isEqualTo("0:4 26:4");
        assertThat(count(MINUTE)).isEqualTo("4");
    }

    @Test
    void nothingIsSentIfNothingRan() {
        MetricsReport report = report(connection);
        report.send();
        assertThat(redis.texts().keys("*")).isEmpty();
    }
}
