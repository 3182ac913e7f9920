package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole years of slots, forwards and backwards, compared with a check of every minute. The cron texts come from a
 * generator with a fixed seed.
 */
@Tag("sidekiq-29")
class CronYearsTests {

    private static final int YEAR = 2026;
    private static final Instant BEGIN = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant END = Instant.parse("2027-01-01T12:00:00Z");

    /** The minutes that a cron text with the second 0 names; an empty set of days restricts nothing. */
    private record Times(
            SortedSet<Integer> minutes,
            SortedSet<Integer> hours,
            SortedSet<Integer> monthDays,
            SortedSet<Integer> months,
            SortedSet<Integer> weekdays) {

        String text() {
            return String.join(" ", list(minutes), list(hours), list(monthDays), list(months), list(weekdays));
        }

        private static String list(SortedSet<Integer> numbers) {
            return numbers.isEmpty()
                    ? "*"
                    : numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
        }

        boolean hasDay(LocalDate day) {
            boolean monthDay = monthDays.contains(day.getDayOfMonth());
            boolean weekday = weekdays.contains(day.getDayOfWeek().getValue() % 7);
            boolean days = monthDays.isEmpty() && weekdays.isEmpty() || monthDay || weekday;
            return days && (months.isEmpty() || months.contains(day.getMonthValue()));
        }

        boolean hasTime(int hour, int minute) {
            return hours.contains(hour) && minutes.contains(minute);
        }

        boolean everyHour() {
            return hours.size() == 24;
        }
    }

    private static Times times(Random random) {
        return new Times(
                some(random, 0, 59, 1 + random.nextInt(4)),
                random.nextInt(3) == 0 ? some(random, 0, 23, 24) : some(random, 0, 5, 1 + random.nextInt(3)),
                random.nextInt(3) == 0 ? some(random, 1, 31, 1 + random.nextInt(5)) : new TreeSet<>(),
                random.nextInt(3) == 0 ? some(random, 1, 12, 6) : new TreeSet<>(),
                random.nextInt(3) == 0 ? some(random, 0, 6, 1 + random.nextInt(3)) : new TreeSet<>());
    }

    private static SortedSet<Integer> some(Random random, int least, int most, int count) {
        List<Integer> all =
                new ArrayList<>(IntStream.rangeClosed(least, most).boxed().toList());
        Collections.shuffle(all, random);
        return new TreeSet<>(all.subList(0, count));
    }

    /** The definition in its simplest form. */
    private static List<Instant> expected(Times times, ZoneId zone) {
        ZoneRules rules = zone.getRules();
        SortedSet<Instant> slots = new TreeSet<>();
        for (LocalDate day = LocalDate.of(YEAR - 1, 12, 30);
                day.isBefore(LocalDate.of(YEAR + 1, 1, 4));
                day = day.plusDays(1)) {
            if (!times.hasDay(day)) {
                continue;
            }
            for (int minute = 0; minute < 24 * 60; minute++) {
                if (times.hasTime(minute / 60, minute % 60)) {
                    LocalDateTime local = day.atStartOfDay().plusMinutes(minute);
                    List<ZoneOffset> offsets = rules.getValidOffsets(local);
                    if (times.everyHour()) {
                        offsets.forEach(offset -> slots.add(local.toInstant(offset)));
                    } else {
                        slots.add(
                                offsets.isEmpty()
                                        ? rules.getTransition(local).getInstant()
                                        : local.toInstant(offsets.get(0)));
                    }
                }
            }
        }
        return slots.stream()
                .filter(slot -> slot.isAfter(BEGIN) && !slot.isAfter(END))
                .toList();
    }

    private static List<Instant> forwards(CronSchedule schedule) {
        List<Instant> slots = new ArrayList<>();
        for (Instant slot = schedule.next(BEGIN); !slot.isAfter(END); slot = schedule.next(slot)) {
            slots.add(slot);
        }
        return slots;
    }

    private static List<Instant> backwards(CronSchedule schedule) {
        List<Instant> slots = new ArrayList<>();
        for (Instant slot = schedule.atOrBefore(END);
                slot.isAfter(BEGIN);
                slot = schedule.atOrBefore(slot.minusNanos(1))) {
            slots.add(slot);
        }
        Collections.reverse(slots);
        return slots;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "+05:45"})
    void everySlotOfAYearIsFoundOnce(String zone) {
        Random random = new Random(29);
        for (int i = 0; i < 40; i++) {
            Times times = times(random);
            CronSchedule schedule = CronSchedule.parse(times.text(), zone);
            List<Instant> expected = expected(times, ZoneId.of(zone));

            assertThat(forwards(schedule)).as("%s, forwards", schedule).isEqualTo(expected);
            assertThat(backwards(schedule)).as("%s, backwards", schedule).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"})
    void everySecondOfAChangeOfClocksIsASlotOnce(String zone) {
        CronSchedule everySecond = CronSchedule.parse("* * * * * *", zone);
        ZoneRules rules = ZoneId.of(zone).getRules();
        Instant change = rules.nextTransition(BEGIN).getInstant();
        for (int i = 0; i < 2; i++) {
            for (Instant time = change.minusSeconds(5_400); time.isBefore(change.plusSeconds(5_400)); ) {
                Instant next = everySecond.next(time);
                assertThat(next).isEqualTo(time.plusSeconds(1));
                assertThat(everySecond.atOrBefore(next.plusMillis(999))).isEqualTo(next);
                time = next;
            }
            change = rules.nextTransition(change).getInstant();
        }
    }
}
