package dev.jobs.dashboard.jobs;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.encryption.Encrypted;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Pages and their actions know of encrypted jobs only with which key they are. */
@ExtendWith(OutputCaptureExtension.class)
class EncryptedIT {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    private static final String IBAN = "DE02-sesame-0815";
    private static final String SHOWN = "encrypted (key 2026-11)";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            Shop.class,
            "jobs.dashboard.access=local",
            "jobs.encryption.keys.2026-11=" + KEY,
            "jobs.encryption.digest-key=" + KEY,
            "management.endpoints.web.exposure.include=*");

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Shop {

        @Bean
        Payouts payouts() {
            return new Payouts();
        }
    }

    public static class Payouts {

        static final List<String> PAID = new CopyOnWriteArrayList<>();

        @Job("Payouts.fail")
        @Encrypted public void fail(String iban, Map<String, String> notes, JobContext job) {
            job.log("to " + iban);
            throw new IllegalStateException("No account " + iban, new IllegalStateException("at " + notes));
        }

        @Job("Payouts.pay")
        @Encrypted @Unique(key = "{iban}") public void pay(String iban) {
            PAID.add(iban);
        }
    }

    @BeforeEach
    void empty() {
        Payouts.PAID.clear();
        dashboard.redis().delete(List.of("retry", "schedule", "dead")); // the worker stays known
        dashboard.redis().delete(dashboard.redis().keys("unique:*"));
    }

    private static String key(String place) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(
                        dashboard.get("/api/jobs?place=" + place).at("/items"))
                .hasSize(1));
        return dashboard.get("/api/jobs?place=" + place).at("/items/0/key").asString();
    }

    private static Map<String, Object> one(String place, String key, Object... more) {
        Map<String, Object> body = new HashMap<>(Map.of("place", place, "key", key, "keys", List.of(key)));
        for (int i = 0; i < more.length; i += 2) {
            body.put(String.valueOf(more[i]), more[i + 1]);
        }
        return body;
    }

    @Test
    void noPageAnswerOrLogHasAnArgument(CapturedOutput output) {
        String jid = dashboard.bean(JobClient.class).tags("vip").enqueue("Payouts.fail", IBAN, Map.of(IBAN, IBAN));
        String key = key("retries");

        Reply list = dashboard.get("/api/jobs?place=retries");
        Reply one = dashboard.get("/api/job?full=true&place=retries&key=" + encoded(key));

        assertThat(list.at("/items/0/args").asString()).isEqualTo("[\"" + SHOWN + "\"]");
        assertThat(list.at("/items/0/masked").asBoolean()).isTrue();
        assertThat(list.at("/items/0/tags/0").asString()).isEqualTo("vip");
        assertThat(list.at("/items/0/error/type").asString()).isEqualTo("java.lang.IllegalStateException");
        assertThat(list.at("/items/0/error/message").asString()).isEqualTo("•••");
        assertThat(one.at("/arguments")).hasSize(1);
        assertThat(one.at("/arguments/0/json").asString()).isEqualTo('"' + SHOWN + '"');
        assertThat(one.at("/arguments/0/name").isNull()).isTrue();
        assertThat(one.at("/arguments/0/masked").asBoolean()).isFalse();
        assertThat(one.at("/actions").toString()).contains("run").doesNotContain("again");
        String stored = String.valueOf(dashboard.redis().opsForZSet().range("retry", 0, 0));
        String ciphertext = stored.substring(stored.indexOf("\"args\":[\"") + 9, stored.indexOf("\"]"));
        for (Reply reply : List.of(
                list,
                one,
                dashboard.get("/api/failures"),
                dashboard.get("/api/overview"),
                dashboard.get("/api/executions?hours=24"),
                dashboard.get("/api/find?jid=" + jid),
                dashboard.get("/api/job?place=ended&jid=" + jid),
                dashboard.get("/api/metric?job=Payouts.fail&hours=1"),
                dashboard.get("/api/jobs?place=retries&text=" + encoded(IBAN)),
                dashboard.get("/api/jobs?place=retries&text=" + encoded(ciphertext)))) {
            assertThat(reply.text()).doesNotContain("sesame", ciphertext);
        }
        assertThat(dashboard
                        .get("/api/jobs?place=retries&text=" + encoded(ciphertext))
                        .at("/items"))
                .isEmpty();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(output.getAll()).contains("IllegalStateException: •••"));
        assertThat(output.getAll()).doesNotContain("sesame", ciphertext);
    }

    @Test
    void movesKeepTheCiphertextAndNoCopyIsMade() {
        JobClient jobs = dashboard.bean(JobClient.class);
        jobs.in(Duration.ofHours(1)).enqueue("Payouts.pay", IBAN);
        assertThat(jobs.enqueue("Payouts.pay", IBAN)).isNull();
        String key = key("scheduled");

        Reply again = dashboard.post(
                "/api/jobs/again", one("scheduled", key, "arguments", List.of("\"DE03\""), "check", true));
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.text()).contains("not-editable", "encrypted");
        assertThat(dashboard
                        .post("/api/jobs/kill", one("scheduled", key))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);
        Reply deleted = dashboard.post("/api/jobs/delete", one("dead", key("dead")));
        assertThat(deleted.at("/done").asInt()).as(deleted.text()).isEqualTo(1);
        assertThat(dashboard.get("/api/trash").text()).contains("Payouts.pay").doesNotContain("sesame");
        assertThat(dashboard.undo(deleted.at("/undo").asString())).isEqualTo(1);
        dashboard.post("/api/jobs/run", one("dead", key("dead")));

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Payouts.PAID).containsExactly(IBAN));
    }

    @Test
    void theFormEncryptsAndALockIsFoundByItsKey() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dashboard.get("/api/known/job?name=Payouts.pay").status() == 200);

        Reply stored = dashboard.post(
                "/api/enqueue",
                Map.of("job", "Payouts.pay", "arguments", List.of("\"" + IBAN + "\""), "at", 4_000_000_000_000L));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        Set<String> jobs = dashboard.redis().opsForZSet().range("schedule", 0, -1);
        assertThat(jobs).singleElement().asString().contains("A256GCM").doesNotContain("sesame");

        Reply found = dashboard.get("/api/locks?job=Payouts.pay&key=" + encoded(IBAN));

        assertThat(found.text()).contains(stored.at("/jid").asString());
    }
}
