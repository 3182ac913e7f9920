package dev.jobs.dashboard.recurring;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobs;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The requests and actions of the page of recurring jobs. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class RecurringApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    RecurringApiIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return RunningDashboard.forAnswers(server);
    }

    @BeforeEach
    void empty() {
        dashboard.empty();
    }

    @Test
    void showsAndSteersRecurringJobs() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save(
                "nightly/é", Recurrence.cron("0 3 * * * Europe/Berlin"), JobCall.named("Jobs.charge", "Kim", "secret"));

        JsonNode item = dashboard.get("/api/recurring").at("/items/0");

        assertThat(item.at("/name").asString()).isEqualTo("nightly/é");
        assertThat(item.at("/schedule").asString()).contains("0 3 * * *");
        assertThat(item.at("/next")).hasSize(5);
        assertThat(item.at("/known").asBoolean()).isTrue();
        assertThat(item.at("/paused").asBoolean()).isFalse();
        assertThat(item.at("/args").asString()).isEqualTo("[\"Kim\",\"•••\"]");
        Map<String, String> name = Map.of("name", "nightly/é");
        assertThat(dashboard.post("/api/recurring/pause", name).at("/changed").asBoolean())
                .isTrue();
        assertThat(dashboard.get("/api/recurring").at("/items/0/paused").asBoolean())
                .isTrue();
        assertThat(dashboard.post("/api/recurring/resume", name).at("/changed").asBoolean())
                .isTrue();
        String jid = dashboard.post("/api/recurring/run", name).at("/jid").asString();
        assertThat(dashboard
                        .get("/api/jobs?place=queue&queue=default")
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo(jid);
        assertThat(dashboard
                        .get("/api/recurring/history?name=" + encoded("nightly/é"))
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo(jid);
        assertThat(dashboard
                        .post("/api/recurring/run", Map.of("name", "unknown"))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void showsTheLastPageIfTheListHasBecomeShorter() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        for (String name : List.of("a", "b", "c")) {
            recurring.save(name, Recurrence.cron("0 3 * * *"), JobCall.named("Jobs.charge", "Kim", "secret"));
        }

        RunningDashboard.Reply beyond = dashboard.get("/api/recurring?from=100&size=2");

        assertThat(beyond.at("/from").asInt()).isEqualTo(2);
        assertThat(beyond.at("/items/0/name").asString()).isEqualTo("c");
    }

    private static Map<String, Object> body(String schedule, Object... arguments) {
        return Map.of(
                "name", "nightly", "schedule", schedule, "description", "Sales", "arguments", Arrays.asList(arguments));
    }

    private static Map<String, Object> with(Map<String, Object> body, Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(body);
        all.putAll(more);
        return all;
    }

    private static Map<String, Object> undo(RunningDashboard.Reply change) {
        Map<String, Object> body = new HashMap<>(
                Map.of("name", "nightly", "version", change.at("/version").asString()));
        if (!change.at("/undo").isNull()) {
            body.put("undo", change.at("/undo").asString());
        }
        return body;
    }

    /** Saves what was looked at just before. */
    private RunningDashboard.Reply change(Map<String, Object> body) {
        String version =
                dashboard.get("/api/recurring/one?name=nightly").at("/version").asString();
        return dashboard.post("/api/recurring/save", with(body, Map.of("version", version)));
    }

    private RecurringJob nightly() {
        return dashboard.bean(RecurringJobs.class).find("nightly").orElseThrow();
    }

    @Test
    void showsWhatAScheduleMeansWhileItIsWritten() {
        JsonNode slots = dashboard
                .get("/api/recurring/slots?schedule=" + encoded("0  5 * * ?"))
                .json();

        assertThat(slots.at("/schedule").asString()).isEqualTo("0 5 * * *");
        assertThat(slots.at("/utc").asBoolean()).isTrue();
        assertThat(slots.at("/next")).hasSize(10);
        RunningDashboard.Reply wrong = dashboard.get("/api/recurring/slots?schedule=" + encoded("0 25 * * *"));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.at("/error/code").asString()).isEqualTo("bad-schedule");
        assertThat(wrong.at("/error/message").asString()).contains("its hour '25' is not 0 to 23");
    }

    @Test
    void oneIsMadeAndTakenBack() {
        Map<String, Object> body =
                with(body("0 5 * * *", "\"book\""), Map.of("create", true, "job", "Jobs.sell", "to", "night"));

        RunningDashboard.Reply saved = dashboard.post("/api/recurring/save", body);

        assertThat(saved.status()).as(saved.text()).isEqualTo(200);
        assertThat(saved.at("/undo").isNull()).isTrue();
        assertThat(nightly().queue()).isEqualTo("night");
        assertThat(nightly().arguments()).isEqualTo("[\"book\"]");
        assertThat(nightly().description()).isEqualTo("Sales");
        assertThat(dashboard.post("/api/recurring/save", body).at("/error/code").asString())
                .isEqualTo("exists");
        assertThat(dashboard
                        .post("/api/recurring/undo", undo(saved))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard.bean(RecurringJobs.class).list()).isEmpty();
        assertThat(dashboard
                        .post("/api/recurring/save", body("0 5 * * *"))
                        .at("/error/code")
                        .asString())
                .isEqualTo("gone");
    }

    @Test
    void oneIsChangedAndItsHiddenArgumentStays() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save("nightly", Recurrence.cron("0 3 * * *"), JobCall.named("Jobs.charge", "Kim", "secret"));
        recurring.pause("nightly");

        JsonNode one = dashboard.get("/api/recurring/one?name=nightly").json();
        assertThat(one.at("/arguments/0/json").asString()).isEqualTo("\"Kim\"");
        assertThat(one.at("/arguments/1/masked").asBoolean()).isTrue();
        assertThat(one.toString()).doesNotContain("secret");

        RunningDashboard.Reply saved = change(body("0 5 * * * Europe/Berlin", "\"Ann\"", null));

        assertThat(saved.status()).as(saved.text()).isEqualTo(200);
        assertThat(nightly().cron()).isEqualTo("0 5 * * * Europe/Berlin");
        assertThat(nightly().arguments()).isEqualTo("[\"Ann\",\"secret\"]");
        assertThat(nightly().enabled()).isFalse();
        recurring.resume("nightly");
        assertThat(dashboard
                        .post("/api/recurring/undo", undo(saved))
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(nightly().cron()).isEqualTo("0 3 * * *");
        assertThat(nightly().arguments()).isEqualTo("[\"Kim\",\"secret\"]");
        assertThat(nightly().description()).isEmpty();
        assertThat(nightly().enabled()).as("what happened since stays").isTrue();
    }

    @Test
    void itsRulesAreShownAndStayUntilTheyAreChanged() {
        Recurrence rules =
                Recurrence.cron("0 3 * * *").missed(Missed.ALL).mostMissed(7).overlap(Overlap.QUEUE);
        dashboard.bean(RecurringJobs.class).save("nightly", rules, JobCall.named("Jobs.sell", "book"));

        for (JsonNode shown : List.of(
                dashboard.get("/api/recurring").at("/items/0"),
                dashboard.get("/api/recurring/one?name=nightly").json())) {
            assertThat(shown.at("/missed").asString()).isEqualTo("ALL");
            assertThat(shown.at("/mostMissed").asInt()).isEqualTo(7);
            assertThat(shown.at("/overlap").asString()).isEqualTo("QUEUE");
        }
        change(body("0 5 * * *", "\"book\""));
        assertThat(nightly().cron()).isEqualTo("0 5 * * *");
        assertThat(nightly().missed()).isEqualTo(Missed.ALL);
        assertThat(nightly().mostMissed()).isEqualTo(7);
        assertThat(nightly().overlap()).isEqualTo(Overlap.QUEUE);
        RunningDashboard.Reply refused = change(with(body("0 5 * * *", "\"book\""), Map.of("missed", "SKIP")));
        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        RunningDashboard.Reply cancels = change(with(body("0 5 * * *", "\"book\""), Map.of("overlap", "CANCEL")));
        assertThat(cancels.status()).isEqualTo(400);
        assertThat(cancels.at("/error/message").asString()).contains("missed ALL", "Use overlap QUEUE");
        assertThat(change(with(body("0 5 * * *", "\"book\""), Map.of("overlap", "NEVER")))
                        .status())
                .isEqualTo(400);
        change(with(body("0 5 * * *", "\"book\""), Map.of("missed", "SKIP", "overlap", "CANCEL")));
        assertThat(nightly().missed()).isEqualTo(Missed.SKIP);
        assertThat(nightly().overlap()).isEqualTo(Overlap.CANCEL);
        assertThat(dashboard
                        .get("/api/recurring/slots?schedule=" + encoded("@delay 1h"))
                        .at("/delay")
                        .asBoolean())
                .isTrue();
        change(body("@delay 1h", "\"book\""));
        assertThat(nightly().cron()).isEqualTo("@delay 1h");
        assertThat(nightly().missed()).as("a delay has no such rules").isEqualTo(Missed.WITHIN_GRACE);
        assertThat(nightly().overlap()).isEqualTo(Overlap.ALLOW);
    }

    @Test
    void rulesThatContradictEachOtherCanBeMended() {
        dashboard
                .bean(RecurringJobs.class)
                .save("nightly", Recurrence.cron("0 3 * * *").missed(Missed.ALL), JobCall.named("Jobs.sell", "book"));
        dashboard.redis().opsForHash().put("cron_job:default:nightly", "jobs_overlap", "skip");

        assertThat(change(body("0 5 * * *", "\"book\"")).status()).isEqualTo(400);
        assertThat(change(with(body("0 5 * * *", "\"book\""), Map.of("missed", "ONCE")))
                        .status())
                .isEqualTo(200);

        assertThat(nightly().missed()).isEqualTo(Missed.ONCE);
        assertThat(nightly().overlap()).isEqualTo(Overlap.SKIP);
    }

    @Test
    void showsWhatStartsOfApplicationsChanged() {
        dashboard
                .redis()
                .opsForList()
                .leftPush(
                        "jobs:declarations:default",
                        "{\"application\":\"shop\",\"at\":\"2026-11-21 05:21:11 UTC\",\"changes\":[[\"nightly\",\"CHANGED\",\"cron was '@daily'\"]]}");

        JsonNode shown = dashboard.get("/api/recurring/changes").at("/items/0");

        assertThat(shown.at("/application").asString()).isEqualTo("shop");
        assertThat(shown.at("/at").asLong()).isEqualTo(1_795_238_471_000L);
        assertThat(shown.at("/changes/0/name").asString()).isEqualTo("nightly");
        assertThat(shown.at("/changes/0/kind").asString()).isEqualTo("CHANGED");
        assertThat(shown.at("/changes/0/was").asString()).isEqualTo("cron was '@daily'");
    }

    @Test
    void oneIsDeletedAndComesBack() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save("nightly", Recurrence.cron("0 3 * * *"), JobCall.named("Jobs.sell", "book"));
        Map<String, String> before = nightly().fields();

        RunningDashboard.Reply deleted = dashboard.post("/api/recurring/delete", Map.of("name", "nightly"));
        assertThat(recurring.list()).isEmpty();
        dashboard.post("/api/recurring/undo", undo(deleted));

        assertThat(nightly().fields()).isEqualTo(before);
        assertThat(dashboard
                        .post("/api/recurring/delete", Map.of("name", "nobody"))
                        .at("/changed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void whatOthersChangedSinceIsNotTakenBack() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        Recurrence hourly = Recurrence.every(Duration.ofHours(1)).missed(Missed.ONCE);
        recurring.save("nightly", hourly, JobCall.named("Jobs.sell", "book"));
        RunningDashboard.Reply deleted = dashboard.post("/api/recurring/delete", Map.of("name", "nightly"));
        recurring.save("nightly", hourly, JobCall.named("Jobs.sell", "pen"));

        assertThat(dashboard
                        .post("/api/recurring/undo", undo(deleted))
                        .at("/error/code")
                        .asString())
                .isEqualTo("changed-since");
        assertThat(nightly().arguments()).isEqualTo("[\"pen\"]");

        RunningDashboard.Reply saved = change(body("0 5 * * *", "\"cup\""));
        recurring.pause("nightly");
        recurring.runNow("nightly");
        assertThat(dashboard
                        .post("/api/recurring/undo", undo(saved))
                        .at("/changed")
                        .asBoolean())
                .as("runs change nothing")
                .isTrue();
        assertThat(nightly().arguments()).isEqualTo("[\"pen\"]");
    }

    @Test
    void whatOthersChangedSinceItWasLookedAtIsNotOverwritten() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save("nightly", Recurrence.cron("0 3 * * *"), JobCall.named("Jobs.sell", "book"));
        String version =
                dashboard.get("/api/recurring/one?name=nightly").at("/version").asString();
        Map<String, Object> body = with(body("0 5 * * *", "\"cup\""), Map.of("version", version));
        recurring.save("nightly", Recurrence.cron("0 4 * * *"), JobCall.named("Jobs.sell", "book"));

        RunningDashboard.Reply refused = dashboard.post("/api/recurring/save", body);

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.at("/error/code").asString()).isEqualTo("changed-since");
        assertThat(nightly().cron()).isEqualTo("0 4 * * *");
        assertThat(dashboard
                        .post("/api/recurring/save", body("0 5 * * *", "\"cup\""))
                        .status())
                .as("without a version")
                .isEqualTo(400);

        recurring.save("nightly", Recurrence.cron("0 3 * * *"), JobCall.named("Jobs.sell", "book"));
        recurring.runNow("nightly");
        recurring.pause("nightly");
        dashboard.redis().opsForHash().put("cron_job:default:nightly", "jobs_other", "of its runs");
        assertThat(dashboard.post("/api/recurring/save", body).status())
                .as("runs change nothing")
                .isEqualTo(200);
    }

    @Test
    void aDelayHasOneNextTimeAtMost() {
        RecurringJobs recurring = dashboard.bean(RecurringJobs.class);
        recurring.save("nightly", Recurrence.delay(Duration.ofHours(1)), JobCall.named("Jobs.sell", "book"));

        assertThat(dashboard
                        .get("/api/recurring/slots?schedule=" + encoded("@delay 1h"))
                        .at("/next"))
                .hasSize(1);
        JsonNode item = dashboard.get("/api/recurring").at("/items/0");
        assertThat(item.at("/delay").asBoolean()).isTrue();
        assertThat(item.at("/next")).as("while its job has not ended").isEmpty();
        dashboard.redis().opsForHash().put("cron_job:default:nightly", "jobs_due", "2026-01-01T00:00:00Z");
        JsonNode next = dashboard.get("/api/recurring").at("/items/0/next");
        assertThat(next).hasSize(1);
        assertThat(next.get(0).asLong()).isEqualTo(1_767_225_600_000L);
    }

    @Test
    void whatOnlyRubyCanSayIsNotEdited() {
        dashboard
                .redis()
                .opsForHash()
                .putAll(
                        "cron_job:default:nightly",
                        Map.of(
                                "name",
                                "nightly",
                                "klass",
                                "HardWorker",
                                "cron",
                                "0 3 * * *",
                                "args",
                                "[]",
                                "message",
                                "{\"class\":\"HardWorker\",\"retry\":3,\"queue\":\"ruby\",\"args\":[]}"));
        dashboard.redis().opsForSet().add("cron_jobs:default", "cron_job:default:nightly");

        assertThat(dashboard
                        .get("/api/recurring/one?name=nightly")
                        .at("/error/code")
                        .asString())
                .isEqualTo("not-editable");
        assertThat(dashboard
                        .post("/api/recurring/save", body("0 5 * * *"))
                        .at("/error/code")
                        .asString())
                .isEqualTo("not-editable");
    }

    @Test
    void whatIsNoArgumentOfTheJobIsRefused() {
        Map<String, Object> create = Map.of("create", true, "job", "Jobs.sell");

        assertThat(dashboard
                        .post("/api/recurring/save", with(body("0 5 * * *", "1"), create))
                        .at("/error/code")
                        .asString())
                .isEqualTo("bad-arguments");
        assertThat(dashboard
                        .post("/api/recurring/save", with(body("x", "\"book\""), create))
                        .at("/error/code")
                        .asString())
                .isEqualTo("bad-schedule");
        assertThat(dashboard.bean(RecurringJobs.class).list()).isEmpty();
    }
}
