package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The buttons of Sidekiq's web pages work on our jobs and processes. */
@NeedsSidekiq
@Tag("sidekiq-20.3")
class WebActionsIT {

    /** An argument with more than one textual form. */
    private static final String ARGUMENT = "é😀 \u2028 </a> + & % \u001f\u007f";

    private static final Pattern NUMBERED = Pattern.compile("&#(?:x(\\p{XDigit}+)|(\\d+));");

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("web-actions");

    private static final RubyWeb web = bed.web();
    private static final JobEngine engine = bed.patientEngine("java");

    private static String scheduled() {
        return Objects.requireNonNull(
                bed.client.queue("java").in(Duration.ofHours(1)).enqueue("Interop::Fail", ARGUMENT));
    }

    private static String failed(int retries) {
        return Objects.requireNonNull(bed.client.queue("java").retry(retries).enqueue("Interop::Fail", ARGUMENT));
    }

    /** Presses a button on the page of one job. */
    private static void press(String list, String jid, String button) {
        Matcher key = Pattern.compile(list + "/([0-9.]+-" + jid + ")")
                .matcher(web.get(list).body());
        assertThat(key.find()).as(jid + " on " + list).isTrue();
        send(list + "/" + key.group(1), Map.of(button, "1"));
    }

    private static void send(String path, Map<String, String> form) {
        HttpResponse<String> response = web.post(path, form);
        assertThat(response.statusCode()).as(response.body()).isBetween(300, 399); // back to the list
    }

    @ParameterizedTest
    @CsvSource({"retries, retry, 5", "morgue, dead, 0"})
    @Tag("sidekiq-20.1")
    void ourFailedJobIsRunAgain(String list, String set, int retries) {
        String jid = failed(retries);
        bed.awaitIn(set, jid);
        press(list, jid, "retry");
        InteropTestBed.await("Java to perform " + jid + " again", () -> bed.jobs.performed(jid) == 2);
        bed.awaitIn(set, jid);
    }

    @Test
    void ourScheduledJobIsRunNow() {
        String jid = scheduled();
        press("scheduled", jid, "add_to_queue");
        bed.awaitPerformed(jid);
        assertThat(bed.in("schedule", jid)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"retries, retry, 5", "morgue, dead, 0"})
    void ourFailedJobIsDeleted(String list, String set, int retries) {
        String jid = failed(retries);
        bed.awaitIn(set, jid);
        press(list, jid, "delete");
        assertThat(bed.in(set, jid)).isEmpty();
    }

    @Test
    void ourScheduledJobIsDeleted() {
        String jid = scheduled();
        press("scheduled", jid, "delete");
        assertThat(bed.in("schedule", jid)).isEmpty();
    }

    @Test
    @Tag("sidekiq-12")
    void ourFailedJobIsKilled() {
        String jid = failed(5);
        String stored = bed.awaitIn("retry", jid);
        press("retries", jid, "kill");
        assertThat(bed.in("retry", jid)).isEmpty();
        assertThat(bed.in("dead", jid)).containsExactly(stored);
    }

    @Test
    void ourJobIsDeletedFromItsQueueByItsText() {
        String jid = Objects.requireNonNull(bed.client.queue("idle").enqueue("Interop::Fail", ARGUMENT));
        String other = Objects.requireNonNull(bed.client.queue("idle").enqueue("Interop::Fail", ARGUMENT));
        String form = web.get("queues/idle").body();
        Matcher text = Pattern.compile("name=\"key_val\" value=\"([^\"]*" + jid + "[^\"]*)\"")
                .matcher(form);
        assertThat(text.find()).as("the job on the page").isTrue();
        send("queues/idle/delete", Map.of("key_val", unescaped(text.group(1))));
        assertThat(bed.queued("idle", jid)).isEmpty();
        assertThat(bed.queued("idle", other)).hasSize(1);
    }

    /** Decodes an attribute's value as a browser does. */
    private static String unescaped(String html) {
        return NUMBERED.matcher(html)
                .replaceAll(each -> Matcher.quoteReplacement(Character.toString(
                        each.group(1) != null ? Integer.parseInt(each.group(1), 16) : Integer.parseInt(each.group(2)))))
                .replace("&quot;", "\"")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    @Test
    @Tag("sidekiq-13.5")
    void ourProcessIsQuietedAndStopped() {
        JobEngine ending = bed.engine("ending");
        String identity = ending.health().identity();
        InteropTestBed.await(
                "Sidekiq to show our process", () -> web.get("busy").body().contains(identity));
        send("busy", Map.of("identity", identity, "quiet", "1"));
        InteropTestBed.await("our process to be quiet", () -> ending.health().state() == State.QUIET);
        send("busy", Map.of("identity", identity, "stop", "1"));
        InteropTestBed.await("our process to stop", () -> ending.health().state() == State.STOPPED);
        assertThat(engine.health().state()).as("the other one").isEqualTo(State.RUNNING);
    }
}
