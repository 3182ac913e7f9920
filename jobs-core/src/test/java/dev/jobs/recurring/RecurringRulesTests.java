package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Recurring} and {@link Recurrence} say, and what they refuse. */
class RecurringRulesTests {

    @Retention(RetentionPolicy.RUNTIME)
    @Recurring(missed = Missed.ONCE)
    @interface Important {}

    static class Jobs {
        @Job("rate")
        @Recurring(every = "1h30m", missed = Missed.SKIP)
        void rate() {}

        @Job(value = "all", cron = "0 2 * * *", zone = "Europe/Berlin")
        @Recurring(missed = Missed.ALL, mostMissed = 24, overlap = Overlap.QUEUE)
        void all() {}

        @Job(value = "meta", cron = "@daily")
        @Important
        void meta() {}

        @Job(value = "text", cron = "@every 90s")
        void text() {}

        @Job("delay")
        @Recurring(delay = "10s")
        void delay() {}

        @Job("off")
        @Recurring(every = "-")
        void off() {}

        @Job(value = "plain", cron = "@daily")
        void plain() {}

        @Job("none")
        void none() {}
    }

    private static final JobRegistry REGISTRY = JobRegistry.of(new Jobs());

    private static JobDefinition job(String name) {
        return REGISTRY.find(name).orElseThrow();
    }

    @Test
    void theAnnotationSaysWhatACronTextCannot() {
        assertThat(Recurrence.of(job("rate")))
                .isEqualTo(Recurrence.every(Duration.ofMinutes(90)).missed(Missed.SKIP));
        assertThat(Recurrence.of(job("delay"))).isEqualTo(Recurrence.delay(Duration.ofSeconds(10)));
        assertThat(CronSchedule.of(job("delay"))).hasToString("@delay 10s");
        assertThat(Recurrence.of(job("all")))
                .isEqualTo(Recurrence.cron("0 2 * * *")
                        .zone("Europe/Berlin")
                        .missed(Missed.ALL)
                        .mostMissed(24)
                        .overlap(Overlap.QUEUE));
        assertThat(Recurrence.of(job("meta")))
                .isEqualTo(Recurrence.cron("@daily").missed(Missed.ONCE));
        assertThat(Recurrence.of(job("plain"))).isEqualTo(Recurrence.cron("@daily"));
        assertThat(Recurrence.of(job("none"))).isNull();
        assertThat(CronSchedule.of(job("text"))).hasToString("@every 1m30s");
    }

    @Test
    void aRateIsTurnedOff() {
        assertThat(Recurrence.of(job("off"))).isNull();
        assertThat(CronRules.isOff(job("off"))).isTrue();
        assertThat(CronRules.isOff(job("rate"))).isFalse();
    }

    static class Twice {
        @Job(cron = "@daily")
        @Recurring(every = "1h")
        void run() {}
    }

    static class Nothing {
        @Job
        @Recurring(missed = Missed.SKIP)
        void run() {}
    }

    static class Fast {
        @Job
        @Recurring(every = "500ms")
        void run() {}
    }

    static class TooMany {
        @Job(cron = "@daily")
        @Recurring(missed = Missed.ALL, mostMissed = 1_001)
        void run() {}
    }

    static class Delayed {
        @Job
        @Recurring(delay = "1h", missed = Missed.ALL)
        void run() {}
    }

    static class Contradicting {
        @Job(cron = "@daily")
        @Recurring(missed = Missed.SKIP, overlap = Overlap.QUEUE)
        void run() {}
    }

    static class Passing {
        @Job(cron = "@daily")
        @Recurring(missed = Missed.ALL, overlap = Overlap.SKIP)
        void run() {}
    }

    static class Cancelling {
        @Job(cron = "@daily")
        @Recurring(missed = Missed.ALL, overlap = Overlap.CANCEL)
        void run() {}
    }

    static class Zoned {
        @Job(zone = "Europe/Berlin")
        @Recurring(every = "1h")
        void run() {}
    }

    static class Needy {
        @Job
        @Recurring(every = "1h")
        void run(long customer) {}
    }

    static class NoJob {
        @Recurring(every = "1h")
        void run() {}

        @Job
        void other() {}
    }

    private static void assertRefused(Object jobs, String... parts) {
        assertThatThrownBy(() -> JobRegistry.of(jobs))
                .isInstanceOf(JobDefinitionException.class)
                .satisfies(e -> assertThat(e + " " + ((JobDefinitionException) e).action())
                        .contains(parts));
    }

    @Test
    void whatCanNotMeanAnythingIsRefusedAtTheStart() {
        assertRefused(
                new Twice(), "it has the cron text '@daily' and @Recurring(every = \"1h\")", "Remove all but one");
        assertRefused(new Nothing(), "it has @Recurring and no schedule", "@Recurring(every = \"90s\")");
        assertRefused(new Fast(), "its @Recurring(every) is '500ms'", "whole seconds from 1s to 365d");
        assertRefused(new TooMany(), "its @Recurring(mostMissed) is 1001", "Use 1 to 1000");
        assertRefused(new Delayed(), "a delay, beside which missed and overlap have no effect", "Remove them");
        assertRefused(
                new Contradicting(),
                "its @Recurring has overlap QUEUE, by which a slot waits, and missed SKIP",
                "Use missed ONCE or ALL, or overlap SKIP.");
        assertRefused(
                new Passing(),
                "its @Recurring has missed ALL, by which all slots are fired late, and overlap SKIP, by which all but the first"
                        + " of them pass",
                "Use overlap QUEUE, by which they are fired one after the other, or missed ONCE.");
        assertRefused(
                new Cancelling(),
                "overlap CANCEL, by which the job of each but the last is cancelled",
                "Use overlap QUEUE, by which they are fired one after the other, or missed ONCE.");
        assertRefused(new Zoned(), "a fixed rate or delay has no time zone");
        assertRefused(new Needy(), "[customer]", "would get no values");
    }

    @Test
    void itHasNoEffectOnAMethodThatIsNoJob() {
        assertRefused(new NoJob(), "@Recurring on", "has no effect", "Add @Job");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_001})
    void atMostAThousandSlotsAreMadeUpFor(int most) {
        assertThatThrownBy(() -> Recurrence.cron("@daily").mostMissed(most))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("'mostMissed' must be 1 to 1000 but was " + most);
    }

    @Test
    void aSlotThatWaitsIsFiredLate() {
        Recurrence waits = Recurrence.cron("@daily").overlap(Overlap.QUEUE);

        assertThatThrownBy(() -> waits.missed(Missed.SKIP))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "A recurrence has overlap QUEUE, by which a slot waits, and missed SKIP, by which none is fired"
                                + " late. Use missed ONCE or ALL, or overlap SKIP.");
        assertThat(RecurringJob.missedText(waits)).isEqualTo("once");
    }

    /** Most of those that are made up for would pass, or be cancelled. */
    @ParameterizedTest
    @EnumSource(names = {"SKIP", "CANCEL"})
    void allSlotsAreMadeUpForOnlyIfTheirJobsStay(Overlap overlap) {
        Recurrence all = Recurrence.cron("@daily").missed(Missed.ALL);

        assertThatThrownBy(() -> all.overlap(overlap))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith(
                        "A recurrence has missed ALL, by which all slots are fired late, and overlap " + overlap)
                .hasMessageEndingWith(
                        "Use overlap QUEUE, by which they are fired one after the other, or missed ONCE.");
        assertThatThrownBy(() -> Recurrence.cron("@daily").overlap(overlap).missed(Missed.ALL))
                .isInstanceOf(InvalidJobException.class);
        assertThat(all.missed(Missed.ONCE).overlap(overlap).overlap()).isEqualTo(overlap);
    }

    @ParameterizedTest
    @CsvSource({"PT0S", "PT0.5S", "PT1.5S", "-PT1S", "P366D"})
    void aRateIsWholeSeconds(Duration time) {
        assertThatThrownBy(() -> Recurrence.every(time))
                .isInstanceOf(InvalidCronException.class)
                .hasMessage("The time of a fixed rate or delay must be whole seconds, 1 second to 365 days, but was "
                        + time);
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S, @every 1s, 2026-11-27T10:00:00.5Z, 2026-11-27T10:00:00Z, 2026-11-27T10:00:01Z",
        "PT15M, @every 15m, 2026-11-27T10:15:00Z, 2026-11-27T10:15:00Z, 2026-11-27T10:30:00Z",
        "PT90S, @every 1m30s, 2026-11-27T10:00:31Z, 2026-11-27T10:00:00Z, 2026-11-27T10:01:30Z",
        "P1D, @every 24h, 2026-11-27T10:00:31Z, 2026-11-27T00:00:00Z, 2026-11-28T00:00:00Z",
        "P365D, @every 8760h, 2026-11-27T10:00:31Z, 2025-12-18T00:00:00Z, 2026-12-18T00:00:00Z"
    })
    void theSlotsOfARateAreItsMultiples(Duration time, String text, Instant at, Instant before, Instant after) {
        CronSchedule schedule = Recurrence.every(time).schedule();

        assertThat(schedule.text()).isEqualTo(text);
        assertThat(schedule.atOrBefore(at)).isEqualTo(before);
        assertThat(schedule.next(at)).isEqualTo(after);
        assertThat(schedule.next(at, 2)).containsExactly(after, after.plus(time));
        assertThat(schedule.repeated(after)).isNull();
        assertThat(schedule.namesZone()).as("there is no zone to name").isTrue();
        assertThat(CronSchedule.parse(text)).isEqualTo(schedule);
        assertThat(CronSchedule.ofStored(text, null)).isEqualTo(schedule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"@every", "@every ", "@every x", "@every 0s", "@every -5m", "@every 1m 30s", "@every 400d"})
    void aTextOfARateSaysWhatItNeeds(String text) {
        assertThatThrownBy(() -> CronSchedule.parse(text))
                .isInstanceOf(InvalidCronException.class)
                .hasMessage("The cron text '" + text
                        + "' can't be used: behind @every it needs whole seconds from 1s to 365d, as numbers with h, m"
                        + " and s or one with d, such as 90s or 1h30m");
    }

    @Test
    void aRateHasNoZone() {
        assertThatThrownBy(() -> CronSchedule.parse("@every 1h", "Europe/Berlin"))
                .hasMessageEndingWith(
                        "a fixed rate or delay has no time zone; leave the zone out, or write cron fields");
    }
}
