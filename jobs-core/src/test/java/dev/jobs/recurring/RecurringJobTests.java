package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs stored by others mean here what they mean in Ruby. */
@Tag("sidekiq-29")
class RecurringJobTests {

    private static final Instant NOW = Instant.parse("2026-11-21T05:21:11.25Z");

    /** As Ruby stores a job of a class that it knows. */
    private static final Map<String, String> STORED = Map.ofEntries(
            Map.entry("name", "count"),
            Map.entry("namespace", "default"),
            Map.entry("klass", "HardWorker"),
            Map.entry("cron", "*/5 * * * * Europe/Berlin"),
            Map.entry("description", ""),
            Map.entry("source", "schedule"),
            Map.entry("args", "[\"é\",1.0]"),
            Map.entry("date_as_argument", "0"),
            Map.entry(
                    "message",
                    "{\"retry\":3,\"queue\":\"low\",\"x\":{\"y\":1.0},\"class\":\"HardWorker\",\"args\":[\"old\"]}"),
            Map.entry("status", "enabled"),
            Map.entry("active_job", "0"),
            Map.entry("queue_name_prefix", ""),
            Map.entry("queue_name_delimiter", ""),
            Map.entry("retry", "3"),
            Map.entry("last_enqueue_time", "2026-11-21 05:20:00 +0000"),
            Map.entry("symbolize_args", "0"));

    private static RecurringJob stored(String... changes) {
        Map<String, String> fields = new HashMap<>(STORED);
        for (int i = 0; i < changes.length; i += 2) {
            fields.put(changes[i], changes[i + 1]);
        }
        return new RecurringJob("count", fields);
    }

    private static String payload(RecurringJob job) {
        return new String(job.payload("j1", NOW, PayloadTimes.MILLISECONDS).bytes(), UTF_8);
    }

    @Test
    void readsWhatRubyStored() {
        RecurringJob job = stored("mine", "kept");

        assertThat(job.name()).isEqualTo("count");
        assertThat(job.job()).isEqualTo("HardWorker");
        assertThat(job.queue()).isEqualTo("low");
        assertThat(job.arguments()).isEqualTo("[\"é\",1.0]");
        assertThat(job.enabled()).isTrue();
        assertThat(job.schedule()).isEqualTo(CronSchedule.parse("*/5 * * * *", "Europe/Berlin"));
        assertThat(job.lastEnqueued()).isEqualTo("2026-11-21T05:20:00Z");
        assertThat(job.declaredBy()).isNull();
        assertThat(job.fields()).containsEntry("mine", "kept");
        assertThat(job.needsRuby(false)).isFalse();
        assertThat(job).hasToString("RecurringJob[count, job=HardWorker, cron=*/5 * * * * Europe/Berlin]");
    }

    @Test
    void itsOwnArgumentsWinOverThoseOfTheMessage() {
        assertThat(payload(stored()))
                .isEqualTo(
                        "{\"retry\":3,\"queue\":\"low\",\"x\":{\"y\":1.0},\"class\":\"HardWorker\",\"args\":[\"é\",1.0],"
                                + "\"jid\":\"j1\",\"created_at\":1795238471250}");
    }

    @Test
    void everyJobGetsAnIdOfItsOwn() {
        assertThat(payload(stored("message", "{\"retry\":true,\"class\":\"A\",\"args\":[],\"jid\":\"old\"}")))
                .contains("\"jid\":\"j1\"")
                .doesNotContain("old");
    }

    @Test
    void timesAreWrittenAsTheApplicationSays() {
        assertThat(stored().payload("j1", NOW, PayloadTimes.FLOAT_SECONDS).get("created_at"))
                .isEqualTo(1_795_238_471.25);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[]|[1795238471.250000]", "[ ]|[ 1795238471.250000]", "[1,[2]]|[1,[2],1795238471.250000]"})
    void theTimeMayBeAnArgument(String args, String expected) {
        RecurringJob job = stored("date_as_argument", "1", "args", args);

        assertThat(new String(job.payload("j1", NOW, PayloadTimes.MILLISECONDS).rawArgs(), UTF_8))
                .isEqualTo(expected);
    }

    @Test
    void withoutAMessageThereIsTheClass() {
        RecurringJob job = stored("message", "");

        assertThat(payload(job)).contains("\"class\":\"HardWorker\"", "\"queue\":\"default\"", "\"retry\":true");
    }

    @Test
    void argumentsThatAreNoJsonAreOneText() {
        assertThat(payload(stored("args", "hello"))).contains("\"args\":[\"hello\"]");
        assertThat(payload(stored("args", ""))).contains("\"args\":[]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"args|{}", "args|1", "args|[1],\"args\":[2],\"b\":3", "message|[]", "message|{", "message|text"})
    void anEntryThatIsNoJobIsRefused(String field, String value) {
        RecurringJob job = stored(field, value);

        assertThatThrownBy(() -> job.payload("j1", NOW, PayloadTimes.MILLISECONDS))
                .isInstanceOf(InvalidPayloadException.class);
    }

    @Test
    void anActiveJobIsWrappedAsRailsExpects() {
        RecurringJob job = stored("active_job", "1", "queue_name_prefix", "app", "description", "Counts");
        Payload payload = job.payload("j1", NOW, PayloadTimes.MILLISECONDS);

        assertThat(payload.name()).isEqualTo("ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper");
        assertThat(payload.text("wrapped")).isEqualTo("HardWorker");
        assertThat(payload.queue()).isEqualTo("app_low");
        assertThat(payload.text("description")).isEqualTo("Counts");
        assertThat(payload.jid()).isEqualTo("j1");
        assertThat(payload.args())
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("job_class", "HardWorker")
                .containsEntry("queue_name", "app_low")
                .containsEntry("arguments", java.util.List.of("é", 1.0))
                .containsKey("job_id");
        assertThat(stored("active_job", "1", "queue_name_prefix", "app", "queue_name_delimiter", "-")
                        .payload("j1", NOW, PayloadTimes.MILLISECONDS)
                        .queue())
                .isEqualTo("app-low");
    }

    @Test
    void someJobsOnlyRubyCanPutTogether() {
        String unknownThere = "{\"queue\":\"low\",\"class\":\"HardWorker\",\"args\":[]}";

        assertThat(stored("message", unknownThere).needsRuby(false)).isTrue();
        assertThat(stored("message", unknownThere).needsRuby(true)).isFalse();
        assertThat(stored("message", unknownThere, "active_job", "1").needsRuby(false))
                .isFalse();
        assertThat(stored("args", "[{\"_sc_globalid\":\"gid://app/User/1\"}]").needsRuby(true))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"every day at noon", "", "0 25 * * *", "0 0 * * mon%2", "0 0 * * * Mars/Base"})
    void anUnknownScheduleIsNoError(String cron) {
        assertThat(stored("cron", cron).schedule()).isNull();
        assertThat(stored("cron", cron).cron()).isEqualTo(cron);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-21 05:21:11 +0000, 2026-11-21T05:21:11Z",
        "2026-11-21 07:21:11 +0200, 2026-11-21T05:21:11Z",
        "2026-11-21 05:21:11 UTC, 2026-11-21T05:21:11Z",
        "2026-11-21T05:21:11.5Z, 2026-11-21T05:21:11.5Z"
    })
    void timesComeInSeveralForms(String text, Instant expected) {
        assertThat(stored("last_enqueue_time", text).lastEnqueued()).isEqualTo(expected);
    }

    @Test
    void anInvalidTimeIsNull() {
        assertThat(stored("last_enqueue_time", "").lastEnqueued()).isNull();
        assertThat(stored("last_enqueue_time", "soon").lastEnqueued()).isNull();
        assertThat(new RecurringJob("x", Map.of()).lastEnqueued()).isNull();
    }

    @Test
    void itIsPausedIfItsStatusSaysSo() {
        assertThat(stored("status", "disabled").enabled()).isFalse();
        assertThat(stored("status", "").enabled()).isFalse();
        assertThat(new RecurringJob("x", Map.of()).enabled()).isTrue();
    }
}
