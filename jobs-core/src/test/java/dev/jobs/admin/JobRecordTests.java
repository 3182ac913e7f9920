package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobRecordTests {

    private static JobRecord record(String text) {
        return JobRecord.inSet(JobSet.RETRY, text.getBytes(UTF_8), 1795238150.5755093);
    }

    @Test
    @Tag("sidekiq-4")
    void readsTheMembersOfAFailedJob() {
        JobRecord job = record(
                "{\"class\":\"Boom\",\"args\":[1],\"jid\":\"j5\",\"retry\":true,\"queue\":\"default\",\"error_message\":\"boom [1]\","
                        + "\"error_class\":\"RuntimeError\",\"created_at\":1795237600000,\"enqueued_at\":1795237600.25,"
                        + "\"failed_at\":1795237645739,\"retried_at\":\"2026-11-21T05:08:00Z\",\"retry_count\":1,"
                        + "\"tags\":[\"a\",1,\"b\"]}");

        assertThat(job.jid()).isEqualTo("j5");
        assertThat(job.name()).isEqualTo("Boom");
        assertThat(job.queue()).isEqualTo("default");
        assertThat(job.set()).isEqualTo(JobSet.RETRY);
        assertThat(job.at()).isEqualTo(Instant.parse("2026-11-21T05:15:50.575509Z"));
        assertThat(job.errorClass()).isEqualTo("RuntimeError");
        assertThat(job.errorMessage()).isEqualTo("boom [1]");
        assertThat(job.createdAt()).isEqualTo(Instant.ofEpochMilli(1795237600000L));
        assertThat(job.enqueuedAt()).isEqualTo(Instant.ofEpochMilli(1795237600250L));
        assertThat(job.failedAt()).isEqualTo(Instant.ofEpochMilli(1795237645739L));
        assertThat(job.retriedAt()).isEqualTo(Instant.parse("2026-11-21T05:08:00Z"));
        assertThat(job.retryCount()).isEqualTo(1);
        assertThat(job.tags()).containsExactly("a", "b");
        assertThat(job).hasToString("JobRecord[Payload[jid=j5, class=Boom] in retry set]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not JSON",
                "[1]",
                "{}",
                "{\"class\":1,\"jid\":2,\"queue\":{},\"error_class\":[],\"error_message\":null,\"created_at\":true,\"enqueued_at\":\"x\","
                        + "\"failed_at\":{},\"retried_at\":1e400,\"retry_count\":\"1\",\"tags\":\"x\"}"
            })
    void answersNothingWithoutData(String text) {
        JobRecord job = record(text);

        assertThat(job.jid()).isNull();
        assertThat(job.name()).isNull();
        assertThat(job.queue()).isNull();
        assertThat(job.errorClass()).isNull();
        assertThat(job.errorMessage()).isNull();
        assertThat(job.createdAt()).isNull();
        assertThat(job.enqueuedAt()).isNull();
        assertThat(job.failedAt()).isNull();
        assertThat(job.retriedAt()).isNull();
        assertThat(job.retryCount()).isNull();
        assertThat(job.tags()).isEmpty();
        assertThat(job.text(1_000)).isEqualTo(text);
        assertThat(job.size()).isEqualTo(text.length());
        assertThat(job.payload() == null).isEqualTo(!text.startsWith("{"));
    }

    @Test
    void neverShowsArgumentsUnasked() {
        assertThat(record("{\"class\":\"A\",\"args\":[\"secret\"]}").toString()).doesNotContain("secret");
        assertThat(record("secret").toString()).isEqualTo("JobRecord[6 bytes that are no job in retry set]");
        assertThat(JobRecord.inQueue("q", new byte[3]).toString())
                .isEqualTo("JobRecord[3 bytes that are no job in queue q]");
    }

    @Test
    void doesNotShareItsBytes() {
        JobRecord job = record("{}");
        job.bytes()[0] = 'x';

        assertThat(job.bytes()).isEqualTo("{}".getBytes(UTF_8));
        assertThat(job.text(1)).isEqualTo("{");
        assertThat(job.text(-1)).isEmpty();
        assertThat(job.text(Integer.MAX_VALUE)).isEqualTo("{}");
    }

    @ParameterizedTest
    @CsvSource({
        "Infinity,",
        "-Infinity,",
        "NaN,",
        "1e300,",
        "31556889864403200,",
        "-1e300,",
        "0, 1970-01-01T00:00:00Z",
        "-0.5, 1969-12-31T23:59:59.500Z",
        "884541340800, +30000-01-01T00:00:00Z"
    })
    void aScoreBeyondTheCalendarIsNoTime(double score, Instant time) {
        assertThat(JobRecord.inSet(JobSet.SCHEDULED, new byte[0], score).at()).isEqualTo(time);
    }

    @Test
    void isEqualIfBytesAndPlaceAreEqual() {
        assertThat(record("{}")).isEqualTo(record("{}")).hasSameHashCodeAs(record("{}"));
        assertThat(record("{}")).isNotEqualTo(record("{ }"));
        assertThat(record("{}")).isNotEqualTo(JobRecord.inSet(JobSet.DEAD, "{}".getBytes(UTF_8), 1795238150.5755093));
        assertThat(record("{}")).isNotEqualTo(JobRecord.inSet(JobSet.RETRY, "{}".getBytes(UTF_8), 1));
        assertThat(JobRecord.inQueue("a", new byte[0])).isNotEqualTo(JobRecord.inQueue("b", new byte[0]));
        assertThat(JobRecord.inQueue("a", new byte[0])).isEqualTo(JobRecord.inQueue("a", new byte[0]));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"class\":\"A\",\"display_class\":\"Shown\"} | Shown",
                "{\"class\":\"A\",\"wrapped\":\"B\"} | A",
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"B\",\"args\":[{}]} | B",
                "{\"class\":\"ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper\",\"wrapped\":\"B\"} | B",
                "{\"class\":\"ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper\",\"args\":[\"C\"]} | C",
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"args\":[7]} | Sidekiq::ActiveJob::Wrapper",
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"ActionMailer::MailDeliveryJob\","
                        + "\"args\":[{\"arguments\":[\"UserMailer\",\"welcome\",\"deliver_now\"]}]} | UserMailer#welcome",
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"ActionMailer::MailDeliveryJob\",\"args\":[{\"arguments\":[1]}]}"
                        + " | ActionMailer::MailDeliveryJob",
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"ActionMailer::MailDeliveryJob\",\"args\":5}"
                        + " | ActionMailer::MailDeliveryJob"
            })
    @Tag("sidekiq-4")
    void showsAJobByItsDisplayName(String text, String name) {
        assertThat(record(text).name()).isEqualTo(name);
    }

    @Test
    void findsTextInTheStoredBytes() {
        JobRecord job = record("{\"args\":[\"é漢😀\",\"*\"]}");

        assertThat(job.contains("漢😀\",\"*")).isTrue();
        assertThat(job.contains("{\"args\":[\"é漢😀\",\"*\"]}")).isTrue();
        assertThat(job.contains("")).isTrue();
        assertThat(job.contains("ARGS")).isFalse();
        assertThat(job.contains("{\"args\":[\"é漢😀\",\"*\"]}!")).isFalse();
        assertThat(JobRecord.inQueue("q", new byte[0]).contains("x")).isFalse();
    }
}
