package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-29")
class CronScheduleTests {

    private static List<String> next(String cron, String after, int count) {
        return CronSchedule.parse(cron).next(Instant.parse(after), count).stream()
                .map(Instant::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 2 * * *           | 2026-10-01T00:00:00Z | 2026-10-01T02:00:00Z",
                "* * * * *           | 2026-10-01T00:00:30Z | 2026-10-01T00:01:00Z",
                "*/10 * * * * *      | 2026-10-01T00:00:10Z | 2026-10-01T00:00:20Z",
                "* * * * * *         | 2026-10-01T00:00:00.5Z | 2026-10-01T00:00:01Z",
                "5/10 * * * *        | 2026-10-01T00:00:00Z | 2026-10-01T00:05:00Z",
                "1-10/3 * * * *      | 2026-10-01T00:04:00Z | 2026-10-01T00:07:00Z",
                "/20 * * * *         | 2026-10-01T00:04:00Z | 2026-10-01T00:20:00Z",
                "*/90 * * * *        | 2026-10-01T00:04:00Z | 2026-10-01T01:00:00Z",
                "0 22-2 * * *        | 2026-10-01T02:00:00Z | 2026-10-01T22:00:00Z",
                "0 24 * * *          | 2026-10-01T02:00:00Z | 2026-10-02T00:00:00Z",
                "0 22-24 * * *       | 2026-10-01T23:00:00Z | 2026-10-02T00:00:00Z",
                "0 0 1,15 * *        | 2026-10-01T00:00:00Z | 2026-10-15T00:00:00Z",
                "0 0 L * *           | 2026-10-01T00:00:00Z | 2026-10-31T00:00:00Z",
                "0 0 -2 2 *          | 2026-10-01T00:00:00Z | 2027-02-27T00:00:00Z",
                "0 0 29 2 *          | 2026-10-01T00:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 29 2 *          | 2096-10-01T00:00:00Z | 2104-02-29T00:00:00Z",
                "0 0 * 2 mon#5       | 2096-02-28T00:00:00Z | 2112-02-29T00:00:00Z",
                "0 0 * nov-feb 1     | 2026-10-01T00:00:00Z | 2026-11-02T00:00:00Z",
                "0 0 * * MON         | 2026-10-01T00:00:00Z | 2026-10-05T00:00:00Z",
                "0 0 * * 7           | 2026-10-01T00:00:00Z | 2026-10-04T00:00:00Z",
                "0 0 * * fri-mon     | 2026-10-05T00:00:00Z | 2026-10-09T00:00:00Z",
                "0 0 * * 5-7         | 2026-10-03T00:00:00Z | 2026-10-04T00:00:00Z",
                "0 0 * * mon#2       | 2026-10-01T00:00:00Z | 2026-10-12T00:00:00Z",
                "0 0 * * 1#L         | 2026-10-01T00:00:00Z | 2026-10-26T00:00:00Z",
                "0 0 * * fri#-2      | 2026-10-01T00:00:00Z | 2026-10-23T00:00:00Z",
                "0 0 13 * 5          | 2026-10-09T00:00:00Z | 2026-10-13T00:00:00Z",
                "0 0 13 * 5          | 2026-10-13T00:00:00Z | 2026-10-16T00:00:00Z",
                "0 0 31 2 1          | 2026-10-01T00:00:00Z | 2027-02-01T00:00:00Z",
                "@hourly             | 2026-10-01T00:00:00Z | 2026-10-01T01:00:00Z",
                "@daily              | 2026-10-01T00:00:00Z | 2026-10-02T00:00:00Z",
                "@midnight           | 2026-10-01T00:00:00Z | 2026-10-02T00:00:00Z",
                "@noon               | 2026-10-01T00:00:00Z | 2026-10-01T12:00:00Z",
                "@weekly             | 2026-10-01T00:00:00Z | 2026-10-04T00:00:00Z",
                "@monthly            | 2026-10-01T00:00:00Z | 2026-11-01T00:00:00Z",
                "@yearly             | 2026-10-01T00:00:00Z | 2027-01-01T00:00:00Z",
                "@annually           | 2026-10-01T00:00:00Z | 2027-01-01T00:00:00Z",
                "@daily Asia/Tokyo   | 2026-10-01T00:00:00Z | 2026-10-01T15:00:00Z",
                "0 0 * * * Asia/Tokyo| 2026-10-01T00:00:00Z | 2026-10-01T15:00:00Z",
                "0 0 0 * * mon UTC   | 2026-10-01T00:00:00Z | 2026-10-05T00:00:00Z",
                "0 0 0 * * SUN-TUE   | 2026-10-01T00:00:00Z | 2026-10-04T00:00:00Z",
                "0 0 * * * +02:00    | 2026-10-01T00:00:00Z | 2026-10-01T22:00:00Z",
                "0 0 * * * -0330     | 2026-10-01T00:00:00Z | 2026-10-01T03:30:00Z"
            })
    void readsWhatRubyReads(String cron, String after, String next) {
        assertThat(CronSchedule.parse(cron).next(Instant.parse(after))).isEqualTo(next);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 25 * * *             | its hour '25' is not 0 to 23",
                "60 * * * *             | its minute '60' is not 0 to 59",
                "* 60 * * * *           | its minute '60' is not 0 to 59",
                "0 0 0 * *              | its day of month '0' is not 1 to 31",
                "0 0 -32 * *            | its day of month '32' is not 1 to 31",
                "0 0 1 13 *             | its month '13' is not 1 to 12 or jan to dec",
                "0 0 * * 8              | its day of week '8' is not 0 to 6 or sun to sat",
                "0 0 * * foo            | its day of week 'foo' is not 0 to 6 or sun to sat",
                "0 0 * * monday         | its day of week 'monday' is not valid",
                "0 0 15W * *            | its day of month '15w' is not valid: a nearest weekday can't be named; let the job run on each of the days, and check the date",
                "0 0 LW * ?             | its day of month 'lw' is not valid: a nearest weekday can't be named; let the job run on each of the days, and check the date",
                "0 0 0 L-3 * ?          | its day of month 'l-3' is not valid; write '-4'",
                "0 0 0 ? * FRIL         | its day of week 'fril' is not valid; write 'fri#L'",
                "0 0 0 ? * 6L           | its day of week '6l' is not valid; write the day's name, as in 'fri#L'",
                "0 0 ? * 1              | beside '?', its day of week '1' could mean two days, since Quartz counts from Sunday as 1; write the day's name, as in 'mon'",
                "0 0 0 ? * mon,2-6      | beside '?', its day of week '2-6' could mean two days, since Quartz counts from Sunday as 1; write the day's name, as in 'mon'",
                "0 0 0 ? * 2#1          | beside '?', its day of week '2#1' could mean two days, since Quartz counts from Sunday as 1; write the day's name, as in 'mon'",
                "0 ? * * *              | a '?' can only be its day of month or day of week; write '*'",
                "0 0 ?,1 * *            | its day of month '?' is not valid",
                "0 0 12 * * ? 2030      | it has 7 fields, and five or six are needed; leave out the seventh, since years can't be named",
                "0 0 * * 1/2            | its day of week '1/2' has a step but no last day",
                "0 0 * * mon%2          | its day of week 'mon%2' is not valid",
                "*/0 * * * *            | its minute '*/0' has a step that is not 1 to 99",
                "1,,2 * * * *           | its minute '' is not valid",
                "0 0 31 2 *             | no month has the day that it names",
                "0 0 30 2 *             | no month has the day that it names",
                "* * * *                | it has 4 fields, and five or six are needed",
                "* * * * * * *          | it has 7 fields, and five or six are needed; leave out the seventh, since years can't be named",
                "every 5 minutes        | it has 3 fields, and five or six are needed",
                "@reboot                | it is none of @hourly, @daily, @noon, @weekly, @monthly and @yearly",
                "@daily @daily          | it has 2 fields, and five or six are needed",
                "0 0 * * * Europe/Berln | there is no time zone 'Europe/Berln'; name one as in Europe/Berlin, or UTC",
                "0 0 8 1-7 * SAT        | its day of month '1-7' and its day of week 'sat' mean the days that either names in Ruby, and those that both name in Spring; for either, write five fields, as in '0 8 1-7 * SAT'; for both, write '*' and 'sat#1'",
                "30 0 0 13 * FRI        | its day of month '13' and its day of week 'fri' mean the days that either names in Ruby, and those that both name in Spring; for either, declare two jobs; for both, name one of them, and let the job check the date",
                "0 0 * L * SAT,SUN UTC  | its day of month 'l' and its day of week 'sat,sun' mean the days that either names in Ruby, and those that both name in Spring; for either, write five fields, as in '0 * L * SAT,SUN'; for both, name one of them, and let the job check the date",
                "0 0 8 * * */2          | the steps of its day of week '*/2' begin with Sunday in Ruby and with Monday in Spring; name the days, as in 'sun,tue,thu,sat' or 'mon,wed,fri,sun'",
                "0 0 8 * * */3          | the steps of its day of week '*/3' begin with Sunday in Ruby and with Monday in Spring; name the days, as in 'sun,wed,sat' or 'mon,thu,sun'",
                "0 0 8 * * 7-7          | its day of week '7-7' is Sunday in Ruby and every day in Spring; write 'sun' or '*'",
                "''                     | it has 1 fields, and five or six are needed"
            })
    void saysWhatIsWrong(String cron, String reason) {
        assertThatThrownBy(() -> CronSchedule.parse(cron))
                .isInstanceOf(InvalidCronException.class)
                .hasMessage("The cron text '" + cron + "' can't be used: " + reason);
    }

    @ParameterizedTest
    @CsvSource({"0 0 8 1-7 * SAT, 0 8 1-7 * SAT", "0 0 8 * * */2, 0 8 * * */2", "0 0 8 * * 7-7, 0 8 * * sun"})
    void whatIsStoredMeansWhatItMeansInRuby(String stored, String fiveFields) {
        CronSchedule schedule = new RecurringJob("nightly", Map.of("cron", stored)).schedule();

        Instant begin = Instant.parse("2026-10-01T00:00:00Z");
        assertThat(schedule.next(begin, 20))
                .isEqualTo(CronSchedule.parse(fiveFields).next(begin, 20));
    }

    @Test
    void aZoneIsNamedOnce() {
        assertThatThrownBy(() -> CronSchedule.parse("0 2 * * * UTC", "Europe/Berlin"))
                .hasMessage(
                        "The cron text '0 2 * * * UTC' in zone 'Europe/Berlin' can't be used: it names a zone itself");
        assertThatThrownBy(() -> CronSchedule.parse("0 2 * * *", "Berlin! "))
                .hasMessageContaining("there is no time zone 'Berlin!'");
    }

    @Test
    void anEndlessTextIsRefused() {
        assertThatThrownBy(() -> CronSchedule.parse("0 0 " + "1,".repeat(300) + "1 * *"))
                .hasMessageContaining("it has more than 500 characters")
                .hasMessageContaining("…");
    }

    @ParameterizedTest
    @CsvSource({
        "'  0  2 *\t* *', '', 0 2 * * *, Z",
        "0 0 2 ? * MON-FRI, '', 0 0 2 * * MON-FRI, Z",
        "0 0/5 8-18 * * ?, '', 0 0/5 8-18 * * *, Z",
        "0 0 12 1 * ? Europe/Berlin, '', 0 0 12 1 * * Europe/Berlin, Europe/Berlin",
        "0 2 ? * mon#1, Europe/Berlin, 0 2 * * mon#1 Europe/Berlin, Europe/Berlin",
        "0 2 ? * ?, '', 0 2 * * *, Z",
        "0 2 * * *, Europe/Berlin, 0 2 * * * Europe/Berlin, Europe/Berlin",
        "0 2 * * * Europe/Berlin, '', 0 2 * * * Europe/Berlin, Europe/Berlin",
        "@daily, '', @daily, Z",
        "@daily, Europe/Berlin, 0 0 * * * Europe/Berlin, Europe/Berlin",
        "@daily America/New_York, , 0 0 * * * America/New_York, America/New_York"
    })
    void theTextToStoreNamesTheZone(String cron, String zone, String text, String id) {
        CronSchedule schedule = CronSchedule.parse(cron, zone);

        assertThat(schedule.text()).isEqualTo(text);
        assertThat(schedule.zone()).isEqualTo(ZoneId.of(id));
        assertThat(CronSchedule.parse(text)).isEqualTo(schedule);
    }

    @Test
    void withoutAZoneItIsUtc() {
        assertThat(CronSchedule.parse("0 2 * * *").zone()).isEqualTo(ZoneOffset.UTC);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 101})
    void showsOneToAHundredSlots(int count) {
        assertThatThrownBy(() -> CronSchedule.parse("@daily").next(Instant.EPOCH, count))
                .hasMessage("'count' must be 1 to 100 but was " + count);
    }

    @Test
    void aDailyJobThatClocksShowTwiceRunsTheFirstTime() {
        assertThat(next("30 2 * * * Europe/Berlin", "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(next("30 1 * * * America/New_York", "2026-10-31T12:00:00Z", 2))
                .containsExactly("2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z");
        assertThat(next("45 1 * * * Australia/Lord_Howe", "2026-04-04T00:00:00Z", 2))
                .containsExactly("2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z");
    }

    @Test
    void aDailyJobThatClocksSkipRunsAtTheEndOfTheGap() {
        assertThat(next("30 2 * * * Europe/Berlin", "2026-03-28T12:00:00Z", 2))
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
        assertThat(next("30 2 * * * America/New_York", "2026-03-07T12:00:00Z", 2))
                .containsExactly("2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z");
        assertThat(next("15 2 * * * Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2))
                .containsExactly("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z");
        assertThat(next("0 8 * * * Pacific/Apia", "2011-12-28T20:00:00Z", 3))
                .as("a zone that skipped a whole day")
                .containsExactly("2011-12-29T18:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T18:00:00Z");
    }

    @Test
    void severalTimesInAGapAreOneSlot() {
        assertThat(next("*/20 2,3 * * * Europe/Berlin", "2026-03-28T12:00:00Z", 4))
                .containsExactly(
                        "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z");
    }

    @Test
    void hourlyJobsStayHourly() {
        assertThat(next("30 * * * * Europe/Berlin", "2026-03-29T00:00:00Z", 3))
                .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
        assertThat(next("30 0-23 * * * Europe/Berlin", "2026-10-25T00:00:00Z", 3))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
    }

    @Test
    void knowsWhenClocksShowASlotAgain() {
        CronSchedule daily = CronSchedule.parse("30 2 * * * Europe/Berlin");

        assertThat(daily.repeated(Instant.parse("2026-10-25T00:30:00Z"))).isEqualTo("2026-10-25T01:30:00Z");
        assertThat(daily.repeated(Instant.parse("2026-10-26T01:30:00Z"))).isNull();
        assertThat(daily.repeated(Instant.parse("2026-03-29T01:00:00Z"))).isNull();
        assertThat(CronSchedule.parse("30 * * * * Europe/Berlin").repeated(Instant.parse("2026-10-25T00:30:00Z")))
                .isNull();
    }

    @Test
    void inTheSecondPassTheLastSlotIsThatOfTheFirst() {
        CronSchedule schedule = CronSchedule.parse("*/10 2 * * * Europe/Berlin");

        assertThat(schedule.atOrBefore(Instant.parse("2026-10-25T01:25:00Z"))).isEqualTo("2026-10-25T00:50:00Z");
        assertThat(schedule.next(Instant.parse("2026-10-25T01:25:00Z"))).isEqualTo("2026-10-26T01:00:00Z");
    }

    @Test
    void theLastSlotMayBeNow() {
        CronSchedule schedule = CronSchedule.parse("0 2 * * *");

        assertThat(schedule.atOrBefore(Instant.parse("2026-10-25T02:00:00.9Z"))).isEqualTo("2026-10-25T02:00:00Z");
        assertThat(schedule.atOrBefore(Instant.parse("2026-10-25T02:00:00Z"))).isEqualTo("2026-10-25T02:00:00Z");
        assertThat(schedule.atOrBefore(Instant.parse("2026-10-25T01:59:59.9Z"))).isEqualTo("2026-10-24T02:00:00Z");
        assertThat(CronSchedule.parse("0 0 29 2 *").atOrBefore(Instant.parse("2104-02-28T00:00:00Z")))
                .isEqualTo("2096-02-29T00:00:00Z");
    }
}
