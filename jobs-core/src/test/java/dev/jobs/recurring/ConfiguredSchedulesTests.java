package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobParam;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.Masked;
import dev.jobs.client.ClientConfig;
import dev.jobs.recurring.ConfiguredSchedules.Entry;
import dev.jobs.recurring.ConfiguredSchedules.Policies;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a configuration may say of recurring jobs, and what it must not. */
@Tag("sidekiq-29")
class ConfiguredSchedulesTests {

    private static final Recurrence DAILY = Recurrence.cron("0 5 * * *");

    private final JobRegistry registry = JobRegistry.of(new Reports());

    record Region(String name, int limit) {}

    static class Reports {

        @Job(value = "nightly", cron = "0 2 * * *", zone = "Europe/Berlin", queue = "low", retry = 3)
        void nightly() {}

        @Job(value = "weekly", cron = "-")
        void weekly() {}

        @Job("often")
        @Recurring(every = "90s", missed = Missed.ALL, mostMissed = 7, overlap = Overlap.QUEUE)
        void often() {}

        @Job(value = "region", queue = "reports", tags = "night")
        void region(String name, long customer, LocalDate from, @Nullable Region region) {}

        @Job("texts")
        void texts(String one, @JobParam(defaultValue = "5") int two) {}

        @Job("secret")
        void secret(@Masked long key) {}

        @Job("unique")
        @Unique
        void unique() {}

        @Job(value = "named", aliases = "former")
        void named() {}

        @Job(value = "monthly", aliases = "report", cron = "0 2 1 * *")
        void monthly() {}
    }

    private static Entry entry(String name, @Nullable String job, Recurrence recurrence, String... arguments) {
        return new Entry(
                "jobs.recurring.schedules[" + name + "]", name, job, List.of(arguments), recurrence, Policies.NONE);
    }

    private static Entry entry(String name, @Nullable String job, Recurrence recurrence, Policies policies) {
        return new Entry("jobs.recurring.schedules[" + name + "]", name, job, List.of(), recurrence, policies);
    }

    private Declaration.All declared(Entry... entries) {
        return declared(registry, entries);
    }

    private static Declaration.All declared(JobRegistry registry, Entry... entries) {
        ConfiguredSchedules configured =
                ConfiguredSchedules.of(List.of(entries), registry, new ClientConfig(2_000, 100));
        return Declaration.all(registry, configured);
    }

    private Declaration only(String name, Entry entry) {
        return only(name, declared(entry));
    }

    private static Declaration only(String name, Declaration.All all) {
        return all.recurring().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String message(Declaration declared) {
        return declared.fields("default").get("message");
    }

    @Test
    void whatAnnotationsSayIsUnchangedWithoutAConfiguration() {
        Declaration.All all = Declaration.all(registry, ConfiguredSchedules.NONE);

        assertThat(only("often", all).recurrence())
                .isEqualTo(Recurrence.every(Duration.ofSeconds(90))
                        .missed(Missed.ALL)
                        .mostMissed(7)
                        .overlap(Overlap.QUEUE));
        assertThat(all.recurring())
                .extracting(Declaration::name)
                .containsExactlyInAnyOrder("nightly", "often", "monthly");
        assertThat(only("nightly", all)).satisfies(nightly -> {
            assertThat(nightly.name()).isEqualTo("nightly");
            assertThat(nightly.origin()).isEqualTo(Origin.ANNOTATION);
            assertThat(nightly.shown()).isEqualTo("nightly (" + Reports.class.getName() + ".nightly)");
            assertThat(nightly.schedule()).hasToString("0 2 * * * Europe/Berlin");
            assertThat(message(nightly)).isEqualTo("{\"retry\":3,\"queue\":\"low\",\"class\":\"nightly\",\"args\":[]}");
        });
        assertThat(all.off()).containsOnlyKeys("weekly");
        assertThat(ConfiguredSchedules.of(List.of(), registry, ClientConfig.defaults()))
                .isSameAs(ConfiguredSchedules.NONE);
    }

    @Test
    void aScheduleHasItsJobWithArgumentsQueueAndOptions() {
        Declaration north = only(
                "north",
                entry(
                        "north",
                        "region",
                        DAILY.zone("America/New_York").description("Sales"),
                        "42",
                        "42",
                        "2026-01-31",
                        "{\"name\": \"north\", \"limit\": 3}"));

        assertThat(north.origin()).isEqualTo(Origin.CONFIGURATION);
        assertThat(north.shown()).isEqualTo("north (jobs.recurring.schedules[north])");
        assertThat(north.schedule()).hasToString("0 5 * * * America/New_York");
        assertThat(north.recurrence().description()).isEqualTo("Sales");
        assertThat(message(north))
                .isEqualTo(
                        "{\"retry\":true,\"queue\":\"reports\",\"class\":\"region\",\"args\":[\"42\",42,\"2026-01-31\","
                                + "{\"name\": \"north\", \"limit\": 3}],\"tags\":[\"night\"]}");
    }

    @Test
    void theQueueOfAScheduleCountsAndNullIsAnEmptyText() {
        Declaration north = only("north", entry("north", "region", DAILY.queue("slow"), "a", "1", "2026-01-31", ""));

        assertThat(north.queue()).isEqualTo("slow");
        assertThat(new String(north.draft().rawArgs(), UTF_8)).isEqualTo("[\"a\",1,\"2026-01-31\",null]");
    }

    @Test
    void argumentsWithDefaultsMayBeLeftOut() {
        assertThat(only("texts", entry("texts", null, DAILY, "a")).draft().args())
                .containsExactly("a");
    }

    @Test
    void aJobOfAnotherApplicationTakesWhatIsJsonAndElseText() {
        Declaration ruby = only(
                "clean", entry("clean", "CleanupWorker", DAILY, "42", "eu", "true", "\"42\"", "[1, \"a\"]", "null"));

        assertThat(message(ruby))
                .isEqualTo("{\"retry\":true,\"queue\":\"default\",\"class\":\"CleanupWorker\","
                        + "\"args\":[42,\"eu\",true,\"42\",[1,\"a\"],null]}");
    }

    /** As for calls by name: the upcaster knows what it reads. */
    @Test
    void argumentsThatAnUpcasterReadsMayBeAnything() {
        JobRegistry changing = registry.withUpcasters(JobUpcaster.of("region", job -> job));

        Declaration north = only("north", declared(changing, entry("north", "region", DAILY, "7")));

        assertThat(north.draft().args()).containsExactly(7L);
    }

    @Test
    void aNameOfFormerTimesMeansTheJob() {
        assertThat(only("x", entry("x", "former", DAILY)).draft().name()).isEqualTo("named");
    }

    @Test
    void aScheduleTakesThePlaceOfAnAnnotationAndLeavesItsZone() {
        Declaration.All all = declared(entry("nightly", null, DAILY));

        Declaration nightly = only("nightly", all);
        assertThat(all.recurring()).hasSize(3);
        assertThat(nightly.origin()).isEqualTo(Origin.CONFIGURATION);
        assertThat(nightly.shown()).isEqualTo("nightly (jobs.recurring.schedules[nightly], not its annotation)");
        assertThat(nightly.schedule()).hasToString("0 5 * * * Europe/Berlin");
        assertThat(nightly.queue()).isEqualTo("low");
    }

    @ParameterizedTest
    @CsvSource({"0 5 * * * UTC,,0 5 * * * UTC", "0 5 * * *,Asia/Tokyo,0 5 * * * Asia/Tokyo"})
    void aZoneOfTheScheduleCounts(String cron, @Nullable String zone, String expected) {
        Recurrence recurrence =
                zone == null ? Recurrence.cron(cron) : Recurrence.cron(cron).zone(zone);

        assertThat(only("nightly", entry("nightly", null, recurrence)).schedule())
                .hasToString(expected);
    }

    @Test
    void policiesOfTheAnnotationStayUnlessTheScheduleNamesOthers() {
        Recurrence annotated =
                DAILY.missed(Missed.ALL).mostMissed(7).overlap(Overlap.QUEUE).queue("low");

        assertThat(only("often", entry("often", null, DAILY.queue("low"))).recurrence())
                .isEqualTo(annotated);
        assertThat(only(
                                "often",
                                entry("often", null, DAILY.queue("low"), new Policies(Missed.ONCE, null, Overlap.SKIP)))
                        .recurrence())
                .isEqualTo(annotated.missed(Missed.ONCE).overlap(Overlap.SKIP));
        assertThat(only("often", entry("often", null, DAILY.queue("low"), new Policies(null, 9, null)))
                        .recurrence())
                .isEqualTo(annotated.mostMissed(9));
        assertThat(only("x", entry("x", "named", DAILY, new Policies(Missed.SKIP, null, null)))
                        .recurrence())
                .isEqualTo(DAILY.missed(Missed.SKIP));
    }

    @Test
    void aScheduleMayBeARateOrADelay() {
        Recurrence delay = Recurrence.delay(Duration.ofSeconds(30));

        assertThat(only("often", entry("often", null, delay)).recurrence())
                .as("policies have no effect on it")
                .isEqualTo(delay);
        assertThat(only("nightly", entry("nightly", null, Recurrence.cron("@every 60m")))
                        .schedule())
                .as("without the zone of the annotation")
                .hasToString("@every 1h");
        assertThat(only("often", entry("often", null, DAILY)).schedule())
                .as("a rate has no zone that stays")
                .hasToString("0 5 * * *");
    }

    @Test
    void aMinusTurnsASchedulesAndAnAnnotationOff() {
        Recurrence off = Recurrence.cron("-");

        Declaration.All all = declared(entry("nightly", null, off), entry("north", "region", off));

        assertThat(all.recurring()).extracting(Declaration::name).containsExactlyInAnyOrder("often", "monthly");
        assertThat(all.off()).containsOnlyKeys("nightly", "weekly", "north");
        assertThat(all.off()).containsEntry("north", "north (jobs.recurring.schedules[north])");
    }

    @Test
    void aScheduleTurnsOnWhatAnAnnotationTurnsOff() {
        Declaration.All all = declared(entry("weekly", null, DAILY));

        assertThat(all.recurring())
                .extracting(Declaration::name)
                .containsExactlyInAnyOrder("nightly", "often", "monthly", "weekly");
        assertThat(all.off()).isEmpty();
    }

    @Test
    void severalSchedulesMayHaveOneJob() {
        Declaration.All all = declared(entry("a", "texts", DAILY, "a"), entry("b", "texts", DAILY, "b"));

        assertThat(all.recurring())
                .extracting(Declaration::name)
                .containsExactlyInAnyOrder("nightly", "often", "monthly", "a", "b");
    }

    private void assertRefused(Entry entry, String message, String action) {
        assertThatExceptionOfType(JobDefinitionException.class)
                .isThrownBy(() -> declared(entry))
                .satisfies(e -> {
                    assertThat(e).hasMessageStartingWith(entry.property()).hasMessageContaining(message);
                    assertThat(e.action()).contains(action);
                });
    }

    @Test
    void whatCannotBeEnqueuedIsRefusedWithTheWayOut() {
        assertRefused(
                entry("reportt", null, DAILY),
                ".job is missing, and this application has no job 'reportt'; it has monthly, named, nightly, often, region",
                "Name the job");
        assertRefused(entry("reportt", null, Recurrence.cron("-")), ".job is missing", "Name the job");
        assertRefused(entry("x", " ", DAILY), ".job is empty", "Name the job");
        assertRefused(entry("a\nb", "texts", DAILY, "a"), "has a name that can't be used", "1 to 200 characters");
        assertRefused(
                entry("nightly", "named", DAILY),
                ".job is 'named', and nightly (" + Reports.class.getName() + ".nightly) already declares",
                "Give the schedule another name");
        assertRefused(entry("x", "named", Recurrence.cron("")), ".cron is missing", "\"-\" turns the schedule off");
        assertRefused(
                entry("x", "named", Recurrence.cron("0 25 * * *")),
                ".cron is wrong: the cron text '0 25 * * *' can't be used: its hour '25' is not 0 to 23",
                "turn the schedule off");
        assertRefused(
                entry("x", "named", Recurrence.cron("@every soon")), ".cron is wrong: the cron text", "Correct it");
        assertRefused(
                entry("x", "named", Recurrence.delay(Duration.ofSeconds(30)), new Policies(null, null, Overlap.SKIP)),
                " has a delay, beside which missed, most-missed and overlap have no effect",
                "Remove them");
        assertRefused(
                entry("x", "named", DAILY, new Policies(Missed.ALL, 1_001, null)), ".most-missed is 1001", "1 to 1000");
        assertRefused(
                entry("often", null, DAILY, new Policies(Missed.SKIP, null, null)),
                " has overlap QUEUE, by which a slot waits, and missed SKIP",
                "overlap SKIP");
        for (Overlap overlap : List.of(Overlap.SKIP, Overlap.CANCEL)) {
            assertRefused(
                    entry("often", null, DAILY, new Policies(null, null, overlap)),
                    " has missed ALL, by which all slots are fired late, and overlap " + overlap,
                    "Use overlap QUEUE");
        }
        assertRefused(entry("x", "named", DAILY.zone("Mars/Base")), "there is no time zone 'Mars/Base'", "Correct it");
        assertRefused(entry("x", "named", DAILY.queue("no queue")), "'queue' must be", "Correct it");
        assertRefused(entry("x", "unique", DAILY), "it is unique", "Correct it");
        assertRefused(entry("x", "Other", DAILY, "y".repeat(2_000)), "2,000 are allowed", "Correct it");
    }

    /** Else it would turn nothing off, and a second recurring job would have its times. */
    @ParameterizedTest
    @CsvSource({"-,", "0 5 * * *,", "0 5 * * *,monthly", "0 5 * * *,report"})
    void theFormerNameOfAJobWithAnAnnotationIsNotItsSchedule(String cron, @Nullable String job) {
        assertRefused(
                entry("report", job, Recurrence.cron(cron)),
                " has the former name of monthly (" + Reports.class.getName()
                        + ".monthly), whose annotation declares a recurring job of its present name",
                "Name the schedule monthly: it then takes the place of the annotation's.");
    }

    @Test
    void theFormerNameOfAJobMayBeThatOfAnotherSchedule() {
        Declaration.All all = declared(entry("report", "named", DAILY), entry("former", null, DAILY));

        assertThat(only("report", all).draft().name()).isEqualTo("named");
        assertThat(only("former", all).draft().name()).isEqualTo("named");
        assertThat(only("monthly", all).schedule()).hasToString("0 2 1 * *");
    }

    @Test
    void argumentsThatTheJobCannotReadAreRefused() {
        assertRefused(
                entry("x", "region", DAILY, "a", "b", "2026-01-31", ""),
                ".args[1] can't be read as the parameter 'customer' of region",
                "all else as JSON");
        assertRefused(
                entry("x", "region", DAILY, "a"),
                ".args has 1 of the arguments of region (" + Reports.class.getName()
                        + ".region), which needs name, customer, from",
                "Add the missing ones");
        assertRefused(entry("x", "named", DAILY, "a"), "takes 0 but there is 1 argument", "Correct it");
        assertThatExceptionOfType(JobDefinitionException.class)
                .isThrownBy(() -> declared(entry("x", "secret", DAILY, "hush")))
                .withMessageEndingWith(".args[0] can't be read as the parameter 'key' of secret ("
                        + Reports.class.getName() + ".secret)");
    }
}
