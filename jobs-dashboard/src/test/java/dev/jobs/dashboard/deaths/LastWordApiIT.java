package dev.jobs.dashboard.deaths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Which method the page of a job names: that which would be called if the job were killed there. */
class LastWordApiIT {

    private static final String UNSOLD = TestApplication.Jobs.class.getName() + ".unsold";

    @AutoClose
    private static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis abroad = EmbeddedRedis.start();

    private static RunningDashboard dashboard;

    @Configuration(proxyBeanMethods = false)
    static class Former {

        @Bean
        JobUpcaster books() {
            return JobUpcaster.of(
                    "Books.sell",
                    job -> new Stored("Jobs.sell", List.of(job.arguments().get(1))));
        }
    }

    @BeforeAll
    static void start() {
        dashboard = RunningDashboard.start(
                server,
                "/jobs",
                List.of(TestApplication.class, Former.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.installations.eu.redis.url=" + abroad.uri());
        for (EmbeddedRedis each : List.of(server, abroad)) {
            RedisClient client = RedisClient.create(each.uri());
            try (StatefulRedisConnection<String, String> redis = client.connect()) {
                redis.sync().zadd("retry", 4e9, job("Jobs.sell", "\"x\""));
                redis.sync().zadd("retry", 4e9, job("Books.sell", "3,\"x\""));
                redis.sync().zadd("retry", 4e9, job("Jobs.charge", "\"a\",\"b\""));
                redis.sync().zadd("retry", 4e9, job("Others.sell", "\"x\""));
            } finally {
                client.shutdown();
            }
        }
    }

    @AfterAll
    static void stop() {
        dashboard.close();
    }

    private static String job(String name, String arguments) {
        return "{\"class\":\"" + name + "\",\"args\":[" + arguments + "],\"jid\":\"" + name
                + "\",\"queue\":\"default\",\"retry\":true}";
    }

    /** As the page of the job asks for it. */
    private static String lastWord(String installation, String name) {
        Reply list = dashboard.get(installation + "/api/jobs?place=retries&text=" + name);
        Reply job = dashboard.get(installation + "/api/job?place=retries&key="
                + RunningDashboard.encoded(list.at("/items/0/key").asString()));
        assertThat(job.at("/job/jid").asString()).isEqualTo(name);
        JsonNode runsAs = job.at("/runsAs");
        return runsAs.isNull() ? "" : method(installation, runsAs.asString());
    }

    private static String method(String installation, String name) {
        JsonNode method =
                dashboard.get(installation + "/api/last-word?name=" + name).at("/method");
        return method.isNull() ? "" : method.asString();
    }

    @Test
    void isThatOfTheJobThatWouldRun() {
        assertThat(lastWord("", "Jobs.sell")).isEqualTo(UNSOLD);
        assertThat(lastWord("", "Books.sell"))
                .as("an upcaster turns it into the other")
                .isEqualTo(UNSOLD);
        assertThat(lastWord("", "Jobs.charge")).isEmpty();
        assertThat(lastWord("", "Others.sell")).isEmpty();
    }

    @Test
    void jobsOfAnotherInstallationHaveNoneHere() {
        assertThat(lastWord("/eu", "Jobs.sell")).isEmpty();
        assertThat(lastWord("/eu", "Books.sell")).isEmpty();
        assertThat(method("/eu", "Jobs.sell")).isEmpty();
    }
}
