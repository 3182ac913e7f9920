package dev.jobs.dashboard.jobs;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.Masked;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.RedisCallback;
import tools.jackson.databind.JsonNode;

/** What is masked is seen nowhere, however it is spelled there, and neither is a digest of it. */
@ExtendWith(OutputCaptureExtension.class)
class MaskedIT {

    private static final String CARD = "4111-1111-2222-3333";
    private static final String OWNER = "J\u00fcrgen Gro\u00df";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = start();

    @AutoClose
    static final RunningDashboard looking =
            start("jobs.worker.enabled=false", "jobs.dashboard.read-only=true", "jobs.queues=none");

    private static RunningDashboard start(String... more) {
        String[] all = new String[more.length + 1];
        System.arraycopy(more, 0, all, 0, more.length);
        all[more.length] = "jobs.dashboard.access=local";
        return RunningDashboard.start(server, "/jobs", Shop.class, all);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Shop {

        @Bean
        Cards cards() {
            return new Cards();
        }
    }

    static class Cards {

        @Job("Cards.check")
        @Unique public void check(@Masked String card, @Masked String code, @Masked Map<String, String> owners) {
            throw new IllegalStateException(
                    "No 4111111122223333 of Juergen_Gross, J%C3%BCrgen+Gro%C3%9F, anna@example.org, OWNER=JÜRGEN GROSS,"
                            + " SsO8cmdlbiBHcm/Dnw==");
        }

        @Job("Cards.expire")
        @Unique public void expire(@Masked String card, @Masked int code) {
            throw new IllegalStateException("The code is " + code, new IllegalStateException("for " + code));
        }
    }

    @BeforeEach
    void empty() {
        dashboard.redis().execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushDb();
            return null;
        });
    }

    private static void isSeenNowhere(String text) {
        assertThat(text.toLowerCase(Locale.ROOT))
                .doesNotContain("4111-", "41111111", "rgen", "gross", "gro\u00df", "anna", "sso8");
    }

    @Test
    void isSeenInNoPageAnswerOrLog(CapturedOutput output) {
        String jid = dashboard
                .bean(JobClient.class)
                .tags("card:" + CARD, "vip")
                .enqueue("Cards.check", CARD, "CVC-737", Map.of("anna@example.org", OWNER));
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(
                        dashboard.get("/api/jobs?place=retries").at("/items"))
                .hasSize(1));

        Reply list = dashboard.get("/api/jobs?place=retries");
        String key = encoded(list.at("/items/0/key").asString());
        Reply one = dashboard.get("/api/job?full=true&place=retries&key=" + key);

        assertThat(list.at("/items/0/tags/0").asString()).isEqualTo("card:•••");
        assertThat(list.at("/items/0/tags/1").asString()).isEqualTo("vip");
        assertThat(one.text()).contains("No ••• of •••, •••, •••, OWNER=•••, •••");
        for (Reply reply : List.of(
                list,
                one,
                dashboard.get("/api/failures"),
                dashboard.get("/api/overview"),
                dashboard.get("/api/executions?hours=24"),
                dashboard.get("/api/find?jid=" + jid),
                dashboard.get("/api/job?place=ended&jid=" + jid),
                dashboard.get("/api/metric?job=Cards.check&hours=1"))) {
            isSeenNowhere(reply.text());
        }
        for (String guess : List.of("4111", CARD, "Juergen", "anna@example", "CVC-737")) {
            assertThat(dashboard
                            .get("/api/jobs?place=retries&text=" + encoded(guess))
                            .at("/items"))
                    .as(guess)
                    .isEmpty();
            assertThat(dashboard
                            .get("/api/jobs?place=retries&error=" + encoded(guess))
                            .at("/items"))
                    .as(guess)
                    .isEmpty();
        }
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(output.getAll()).contains("No ••• of •••, •••, •••, OWNER=•••, •••"));
        isSeenNowhere(output.getAll());
    }

    @Test
    void aTagIsFoundAsItIsShownAndNotByAGuess() {
        dashboard
                .bean(JobClient.class)
                .in(Duration.ofHours(1))
                .tags("card:" + CARD, "vip")
                .enqueue("Cards.check", CARD, "CVC-737", Map.of("anna@example.org", OWNER));

        assertThat(tagged("card:" + CARD)).isEmpty();
        assertThat(tagged("card:•••")).hasSize(1);
        assertThat(tagged("vip")).hasSize(1);
    }

    private static JsonNode tagged(String tag) {
        return dashboard.get("/api/jobs?place=scheduled&tag=" + encoded(tag)).at("/items");
    }

    @Test
    void aShortOneHidesTheWholeMessageAndThatOfItsCause(CapturedOutput output) {
        dashboard.bean(JobClient.class).enqueue("Cards.expire", CARD, 737);

        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(
                        dashboard.get("/api/jobs?place=retries").at("/items"))
                .hasSize(1));

        assertThat(dashboard
                        .get("/api/jobs?place=retries")
                        .at("/items/0/error/message")
                        .asString())
                .isEqualTo("•••");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(output.getAll()).contains("IllegalStateException: •••"));
        assertThat(output.getAll()).doesNotContain("code is", "for 737");
    }

    @Test
    void noDigestIsShownAndALockIsReleasedWithoutIt(CapturedOutput output) {
        JobClient jobs = dashboard.bean(JobClient.class).in(Duration.ofHours(1));
        String one = String.valueOf(jobs.enqueue("Cards.expire", CARD, 737));
        String other = String.valueOf(jobs.enqueue("Cards.expire", CARD, 738));
        Set<String> digests = Objects.requireNonNull(dashboard.redis().keys("unique:*"));
        assertThat(digests).hasSize(2);

        Reply locks = dashboard.get("/api/locks");
        Reply job = dashboard.get("/api/job?full=true&place=scheduled&key="
                + encoded(dashboard
                        .get("/api/jobs?place=scheduled")
                        .at("/items/0/key")
                        .asString()));

        assertThat(locks.at("/items/0/digest").isNull()).isTrue();
        assertThat(locks.text()).contains(one, other);
        assertThat(job.text()).contains("unique_lock");
        digests.forEach(digest -> assertThat(locks.text() + job.text()).doesNotContain(digest.substring(7)));

        assertThat(dashboard
                        .post("/api/lock/release", Map.of("holder", one))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        Map<String, String> found = Map.of("job", "Cards.expire", "key", "[\"" + CARD + "\",738]", "holder", other);
        assertThat(dashboard.post("/api/lock/release", found).at("/changed").asBoolean())
                .isTrue();
        assertThat(dashboard.post("/api/lock/release", found).at("/changed").asBoolean())
                .isFalse();
        assertThat(dashboard.redis().keys("unique:*")).isEmpty();
        digests.forEach(digest -> assertThat(output.getAll()).doesNotContain(digest.substring(7)));
    }

    @Test
    void whoMayOnlyLookTriesNoKeys() {
        assertThat(looking.get("/api/locks?job=Cards.expire&key=x").status()).isEqualTo(403);
        assertThat(looking.get("/api/locks?job=TestApplication.sell&key=x").status())
                .isEqualTo(200);
        assertThat(looking.get("/api/locks").status()).isEqualTo(200);
        assertThat(dashboard.get("/api/locks?job=Cards.expire&key=x").status()).isEqualTo(200);
    }
}
