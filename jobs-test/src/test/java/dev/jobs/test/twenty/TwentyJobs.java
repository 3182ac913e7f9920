package dev.jobs.test.twenty;

import dev.jobs.Job;
import dev.jobs.JobClient;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** An application of twenty jobs. */
@SpringBootApplication
@Import(TwentyJobs.Jobs.class)
class TwentyJobs {

    record Order(long id, BigDecimal total, Instant placed) {}

    static class Jobs {

        final AtomicInteger runs = new AtomicInteger();

        @Job
        void job1(String a) {
            runs.incrementAndGet();
        }

        @Job
        void job2(int a, int b) {
            runs.incrementAndGet();
        }

        @Job
        void job3(Order a) {
            runs.incrementAndGet();
        }

        @Job
        void job4(List<Order> a) {
            runs.incrementAndGet();
        }

        @Job
        void job5(Map<String, Integer> a) {
            runs.incrementAndGet();
        }

        @Job
        void job6(Instant a) {
            runs.incrementAndGet();
        }

        @Job
        void job7(LocalDate a) {
            runs.incrementAndGet();
        }

        @Job
        void job8(Duration a) {
            runs.incrementAndGet();
        }

        @Job
        void job9(Optional<String> a) {
            runs.incrementAndGet();
        }

        @Job
        void job10(BigDecimal a) {
            runs.incrementAndGet();
        }

        @Job
        void job11(long a, String b) {
            runs.incrementAndGet();
        }

        @Job
        void job12(boolean a) {
            runs.incrementAndGet();
        }

        @Job
        void job13(double a) {
            runs.incrementAndGet();
        }

        @Job
        void job14(String a, String b, String c) {
            runs.incrementAndGet();
        }

        @Job
        void job15(List<String> a) {
            runs.incrementAndGet();
        }

        @Job
        void job16(Order a, int b) {
            runs.incrementAndGet();
        }

        @Job
        void job17(char a) {
            runs.incrementAndGet();
        }

        @Job
        void job18(Thread.State a) {
            runs.incrementAndGet();
        }

        @Job
        void job19(byte[] a) {
            runs.incrementAndGet();
        }

        @Job
        void job20(long a) {
            runs.incrementAndGet();
        }
    }

    static final Order ORDER = new Order(7, new BigDecimal("19.90"), Instant.parse("2026-05-01T08:00:00Z"));

    /** Enqueues each of them. */
    static void enqueueAll(JobClient client) {
        client.enqueue(Jobs::job1, "a");
        client.enqueue(Jobs::job2, 1, 2);
        client.enqueue(Jobs::job3, ORDER);
        client.enqueue(Jobs::job4, List.of(ORDER));
        client.enqueue(Jobs::job5, Map.of("a", 1));
        client.enqueue(Jobs::job6, ORDER.placed());
        client.enqueue(Jobs::job7, LocalDate.of(2026, 5, 1));
        client.enqueue(Jobs::job8, Duration.ofDays(1));
        client.enqueue(Jobs::job9, Optional.of("a"));
        client.enqueue(Jobs::job10, ORDER.total());
        client.enqueue(Jobs::job11, 7L, "a");
        client.enqueue(Jobs::job12, true);
        client.enqueue(Jobs::job13, 1.5);
        client.enqueue(Jobs::job14, "a", "b", "c");
        client.enqueue(Jobs::job15, List.of("a", "b"));
        client.enqueue(Jobs::job16, ORDER, 2);
        client.enqueue(Jobs::job17, 'x');
        client.enqueue(Jobs::job18, Thread.State.NEW);
        client.enqueue(Jobs::job19, new byte[] {1, 2});
        client.enqueue(Jobs::job20, 7L);
    }
}
