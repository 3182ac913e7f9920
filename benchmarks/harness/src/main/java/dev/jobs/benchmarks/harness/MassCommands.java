package dev.jobs.benchmarks.harness;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import java.time.Duration;
import java.util.Map;

/** The commands of a process that concern thousands of queues, and millions of jobs that wait for their time. */
final class MassCommands {

    private static final int PAGE = 100;
    private static final String YEARLY = "0 0 1 1 *";

    private final JobsProcess library;
    private final JobsAdmin admin;
    private final RedisServer redis;

    MassCommands(JobsProcess library, JobsAdmin admin, RedisServer redis) {
        this.library = library;
        this.admin = admin;
        this.redis = redis;
    }

    /** Recurring jobs, whose numbers begin with this one. */
    Answer fillRecurring(int first, int count) {
        try (RedisRecurringJobs recurring = library.recurring()) {
            Map<String, Long> before = redis.counters();
            long begin = System.nanoTime();
            for (int i = first; i < first + count; i++) {
                recurring.save("job " + i, Recurrence.cron(YEARLY), JobCall.named("Work.answer", i));
            }
            return answer(count, begin, before);
        }
    }

    /** Reads a page of the scheduled set. */
    Answer page(int from) {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        int read = admin.sets()
                .jobs(JobSet.SCHEDULED, job -> true, from, PAGE, ScanBudget.standard())
                .items()
                .size();
        return answer(read, begin, before);
    }

    /** Reads what the page of all queues shows. */
    Answer pageOfQueues() {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        return answer(admin.queues().all().size(), begin, before);
    }

    /** Enqueues jobs one at a time into one queue, each when the last one has probably ended. */
    Answer singly(String queue, int jobs, int pauseMillis) {
        JobClient client = library.client().queue(queue);
        Arguments arguments = Arguments.ofSize(Arguments.STANDARD);
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        for (int i = 0; i < jobs; i++) {
            client.enqueue(Work::run, arguments.text(), arguments.number(), arguments.order());
            Pauses.pause(Duration.ofMillis(pauseMillis));
        }
        return answer(jobs, begin, before);
    }

    private Answer answer(int jobs, long begin, Map<String, Long> before) {
        return new Answer()
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(redis.since(before));
    }
}
