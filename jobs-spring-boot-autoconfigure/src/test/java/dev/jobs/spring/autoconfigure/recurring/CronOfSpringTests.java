package dev.jobs.spring.autoconfigure.recurring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.InvalidCronException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/** Six fields that Spring accepts as well mean the same times there, or are refused with what to write. */
class CronOfSpringTests {

    private static final List<String> SECONDS = List.of("0", "30", "*/20", "5/10", "1-59/7");
    private static final List<String> MINUTES = List.of("0", "*", "*/7", "10-50/20", "0,59");
    private static final List<String> HOURS = List.of("0", "8", "*", "7-15", "*/5", "22/1", "0,12,23");
    private static final List<String> MONTH_DAYS = List.of(
            "*", "?", "1", "13", "31", "L", "1-7", "8-14", "1-31", "1/1", "*/1", "*/2", "10/10", "1,15,30", "1-31/3",
            "29-31", "*,5", "L-3", "15W", "LW", "1-7,L");
    private static final List<String> MONTHS =
            List.of("*", "2", "FEB", "1-6/2", "5-12", "*/4", "JAN,dec", "4,6,9,11", "*/1");
    private static final List<String> WEEKDAYS = List.of(
            "*",
            "?",
            "0",
            "1",
            "7",
            "SAT",
            "sun",
            "MON-FRI",
            "0-7",
            "0-6",
            "1-7",
            "7-7",
            "sun-sun",
            "SAT,SUN",
            "*/1",
            "*/2",
            "*/3",
            "*/4",
            "*/7",
            "1-7/2",
            "0-7/3",
            "0-6/2",
            "7-3",
            "sun-wed",
            "1-5/2",
            "5-7",
            "fri-sun",
            "2,*/3",
            "MON#1",
            "5#2",
            "7#1",
            "sun#4",
            "fri#5",
            "5L",
            "FRIL",
            "MON,WED#2",
            "0-0",
            "1,3,5",
            "fri-mon",
            "2/2");
    private static final List<String> BEGINS =
            List.of("2026-10-01T09:00:00", "2027-02-27T23:59:59", "2027-12-31T00:00:00", "2028-02-28T08:00:00");

    /** Texts that both read. */
    private int compared;

    /** Texts that only Spring reads, since they mean something else here. */
    private int refused;

    @Test
    void sixFieldsNameTheDaysThatTheyNameInSpring() {
        for (String month : List.of("*", "FEB", "1-6/2")) {
            compareDays(month, BEGINS.subList(0, 1), 10);
        }

        assertThat(compared).isGreaterThan(500);
        assertThat(refused).isGreaterThan(1_000);
    }

    @Test
    @LongTest
    void sixFieldsNameTheDaysOfYearsThatTheyNameInSpring() {
        for (String month : MONTHS) {
            compareDays(month, BEGINS, 100);
        }
    }

    @Test
    void sixFieldsNameTheTimesThatTheyNameInSpring() {
        for (String second : SECONDS) {
            for (String minute : MINUTES) {
                for (String hour : HOURS) {
                    compare(String.join(" ", second, minute, hour, "*", "*", "MON-FRI"), BEGINS.subList(0, 1), 10);
                }
            }
        }

        assertThat(compared).isEqualTo(SECONDS.size() * MINUTES.size() * HOURS.size());
    }

    private void compareDays(String month, List<String> begins, int slots) {
        for (String monthDay : MONTH_DAYS) {
            for (String weekday : WEEKDAYS) {
                compare(String.join(" ", "0 0 8", monthDay, month, weekday), begins, slots);
            }
        }
    }

    private void compare(String cron, List<String> begins, int slots) {
        CronExpression spring = inSpring(cron);
        CronSchedule here = here(cron);
        if (spring == null || here == null) {
            return;
        }
        compared++;
        for (String begin : begins) {
            LocalDateTime time = LocalDateTime.parse(begin);
            for (Instant slot : here.next(time.toInstant(ZoneOffset.UTC), slots)) {
                time = spring.next(time);
                assertThat(slot).as("%s after %s", cron, begin).isEqualTo(time.toInstant(ZoneOffset.UTC));
            }
        }
    }

    private static @Nullable CronExpression inSpring(String cron) {
        try {
            return CronExpression.parse(cron);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private @Nullable CronSchedule here(String cron) {
        try {
            return CronSchedule.parse(cron);
        } catch (InvalidCronException e) {
            refused += String.valueOf(e.getMessage()).contains("in Spring") ? 1 : 0;
            return null;
        }
    }
}
