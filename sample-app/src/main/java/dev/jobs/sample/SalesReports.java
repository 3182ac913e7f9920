package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Adds up sales, which takes long, day by day and one report at a time. */
@Component
class SalesReports {

    private final StringRedisTemplate redis;
    private final HashOperations<String, String, String> hashes;
    private final JobClient jobs;
    private final Duration pretendedWork;

    /** The progress of a report; its total covers the days added up so far. */
    record Report(long id, LocalDate from, int days, int daysDone, long totalCents, boolean finished) {}

    /** An ordered report. */
    record Ordered(long id, int days, @Nullable String job) {}

    /** The period of a report. */
    private record Plan(LocalDate from, int days) {

        String text() {
            return from + " " + days;
        }

        static Plan parse(String text) {
            String[] parts = text.split(" ");
            return new Plan(LocalDate.parse(parts[0]), Integer.parseInt(parts[1]));
        }
    }

    SalesReports(StringRedisTemplate redis, JobClient jobs, ShopProperties properties) {
        this.redis = redis;
        this.hashes = redis.opsForHash();
        this.jobs = jobs;
        this.pretendedWork = properties.takes().reportDay();
    }

    /**
     * Orders a report on this number of days up to yesterday.
     *
     * @return its number, and the job that builds it
     */
    Ordered order(int days) {
        long id = Objects.requireNonNull(redis.opsForValue().increment("shop:reports:last", 1));
        Plan plan = new Plan(LocalDate.now(ZoneOffset.UTC).minusDays(days), days);
        redis.opsForValue().set(planKey(id), plan.text());
        return new Ordered(id, days, jobs.enqueue(SalesReports::build, id));
    }

    /**
     * Builds a report. Each finished day is stored, so that a second execution continues where the first one ended, for
     * whatever reason. The next one would have to wait for a report that hangs, so its time is limited; the page of
     * the job in the dashboard shows how far it is.
     *
     * @throws JobInterruptedException if the application stops: another process continues, or this one after its
     *     restart
     */
    @Job(queue = "reports", retry = 3, timeout = "1h")
    void build(long reportId, JobContext job) throws InterruptedException {
        Plan plan = plan(reportId).orElseThrow(() -> new IllegalStateException("There is no report " + reportId));
        for (int i = 0; i < plan.days(); i++) {
            job.progress(i, plan.days());
            String day = plan.from().plusDays(i).toString();
            if (hashes.hasKey(daysKey(reportId), day)) {
                continue;
            }
            if (job.isStopping()) {
                throw new JobInterruptedException("Report " + reportId + " continues at " + day);
            }
            hashes.put(daysKey(reportId), day, String.valueOf(salesOn(LocalDate.parse(day))));
        }
        job.progress(plan.days(), plan.days());
        job.log("Report " + reportId + " is complete from " + plan.from() + " on");
    }

    /** The shop is new, so its past is invented: always the same for each day. */
    private long salesOn(LocalDate day) throws InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        return 100L * new Random(day.toEpochDay()).nextInt(500, 5_000);
    }

    Optional<Report> find(long id) {
        return plan(id).map(plan -> {
            Map<String, String> days = hashes.entries(daysKey(id));
            long total = days.values().stream().mapToLong(Long::parseLong).sum();
            return new Report(id, plan.from(), plan.days(), days.size(), total, days.size() == plan.days());
        });
    }

    private Optional<Plan> plan(long id) {
        return Optional.ofNullable(redis.opsForValue().get(planKey(id))).map(Plan::parse);
    }

    private static String planKey(long id) {
        return "shop:reports:" + id + ":plan";
    }

    private static String daysKey(long id) {
        return "shop:reports:" + id + ":days";
    }
}
