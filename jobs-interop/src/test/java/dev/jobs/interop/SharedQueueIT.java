package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobMiddleware;
import dev.jobs.admin.Stats;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers of both sides take jobs from one queue. */
@NeedsSidekiq
class SharedQueueIT {

    private static final int JOBS = 10_000;
    private static final String QUEUE = "shared";

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("shared");

    private static final RubyApi api = bed.api();

    @Test
    @Tag("sidekiq-9")
    @Tag("sidekiq-10")
    @Tag("sidekiq-14")
    @Tag("sidekiq-15")
    void tenThousandJobsArePerformedOnceEachByTwoWorkersOfOursAndOneOfRubys() {
        Stats before = bed.admin.stats();
        Queue<String> first = new ConcurrentLinkedQueue<>();
        Queue<String> second = new ConcurrentLinkedQueue<>();
        JobEngine one = bed.engine(noting(first), CapsuleConfig.of("default", 3, List.of(QUEUE)));
        JobEngine other = bed.engine(noting(second), CapsuleConfig.of("default", 3, List.of(QUEUE)));
        RubyWorker ruby = bed.rubyWorker("worker", "-q", QUEUE, "-c", "3");
        InteropTestBed.await(
                "all three workers to be there",
                () -> bed.admin.processes().all().size() == 3);

        Set<String> enqueued = new HashSet<>();
        List<List<Integer>> arguments =
                IntStream.range(0, JOBS / 2).mapToObj(List::of).toList();
        enqueued.addAll(bed.client.queue(QUEUE).enqueueAll("Interop::Brief", arguments));
        ((List<?>) Objects.requireNonNull(api.call("push_bulk", QUEUE, "Interop::Brief", arguments)))
                .forEach(jid -> enqueued.add((String) jid));
        assertThat(enqueued).hasSize(JOBS);

        InteropTestBed.await(
                "all jobs to be performed",
                () -> first.size() + second.size() + ruby.performed().size() >= JOBS);
        one.stop();
        other.stop();
        ruby.stop();

        List<String> performed = new ArrayList<>(first);
        performed.addAll(second);
        ruby.performed().forEach(entry -> performed.add(Objects.requireNonNull(entry.jid())));
        assertThat(performed).hasSize(JOBS);
        assertThat(new HashSet<>(performed)).isEqualTo(enqueued);
        assertThat(List.of(first.size(), second.size(), ruby.performed().size()))
                .as("jobs of each worker")
                .allMatch(count -> count > 0);
        assertThat(bed.admin.stats().processed() - before.processed()).isEqualTo(JOBS);
        assertThat(bed.admin.stats().failed()).isZero();
        assertThat(bed.redis.llen("queue:" + QUEUE)).isZero();
    }

    @Test
    @Tag("sidekiq-8")
    void jobsThatAreDueForBothSidesAtOnceArePerformedOnceEach() {
        String queue = "due";
        JobEngine engine = bed.engine(queue);
        RubyWorker ruby = bed.rubyWorker("due-worker", "-q", queue, "-c", "3");
        InteropTestBed.await(
                "both workers to be there", () -> bed.admin.processes().all().size() == 2);
        Set<String> enqueued = new HashSet<>();
        for (int round = 1; round <= 4; round++) { // the pollers don't poll at the same moments
            Instant due = Instant.now().plusSeconds(round);
            List<List<Integer>> arguments =
                    IntStream.range(0, 200).mapToObj(List::of).toList();
            enqueued.addAll(bed.client.queue(queue).at(due).enqueueAll("Interop::Brief", arguments));
            Object theirs = api.call("push_bulk", queue, "Interop::Brief", arguments, due.toEpochMilli() / 1_000.0);
            ((List<?>) Objects.requireNonNull(theirs)).forEach(jid -> enqueued.add((String) jid));
        }
        assertThat(enqueued).hasSize(1_600);
        InteropTestBed.await(
                "all jobs to be performed", () -> performedOf(enqueued, ruby).size() >= 1_600);
        engine.stop();
        ruby.stop();
        List<String> performed = performedOf(enqueued, ruby);
        assertThat(performed).hasSize(1_600);
        assertThat(new HashSet<>(performed)).isEqualTo(enqueued);
        assertThat(bed.redis.zcard("schedule")).isZero();
    }

    private static List<String> performedOf(Set<String> jids, RubyWorker ruby) {
        List<String> performed = new ArrayList<>();
        bed.jobs.performed.forEach(each -> performed.add(each.jid()));
        ruby.performed().forEach(entry -> performed.add(Objects.requireNonNull(entry.jid())));
        performed.retainAll(jids);
        return performed;
    }

    /** Records what one worker performs outside Redis, which is under test. */
    private static JobHooks noting(Queue<String> journal) {
        JobMiddleware noting = (JobContext job, JobMiddleware.Chain next) -> {
            next.proceed();
            journal.add(job.jid());
        };
        return JobHooks.none().with(JobMiddleware.class, noting);
    }
}
