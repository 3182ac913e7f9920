package dev.jobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.limiters.Limiter;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.limits.Limit;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What one test does to jobs is nothing to the next one, and what waits for a time goes by the clock of the test. */
@JobsTest(mode = JobsMode.WORKER)
class WorkerStateIT {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Shop {}

    static class Orders {

        final ConcurrentLinkedQueue<Long> ran = new ConcurrentLinkedQueue<>();
        volatile CountDownLatch open = new CountDownLatch(0);
        private final JobClient jobs;

        Orders(JobClient jobs) {
            this.jobs = jobs;
        }

        @Job
        @Unique(key = "{0}")
        void ship(long order) {
            ran.add(order);
        }

        @Job
        @Limit(name = "bank", rate = 1, per = "1h")
        void charge(long order) {
            ran.add(order);
        }

        @Job
        void remind(long order) {
            ran.add(order);
        }

        @Job
        void prepare(long order) throws InterruptedException {
            open.await();
            jobs.in(HOUR).enqueue(Orders::ship, order);
        }
    }

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private TestClock clock;

    @Autowired
    private Orders orders;

    @Autowired
    private ExecutionEnds executions;

    @BeforeEach
    void reset() {
        orders.ran.clear();
    }

    @Test
    void aUniqueJobMayBeEnqueuedAgain() {
        client.in(HOUR).enqueue(Orders::ship, 7L);

        jobs.reset();

        assertThat(client.enqueue(Orders::ship, 7L)).isNotNull();
        jobs.drain();
        assertThat(orders.ran).containsExactly(7L);
    }

    @Test
    void aThrottledJobIsStoredAgain() {
        client.throttle("order 7", HOUR).enqueue(Orders::remind, 7L);

        jobs.reset();

        assertThat(client.throttle("order 7", HOUR).enqueue(Orders::remind, 7L)).isNotNull();
    }

    @Test
    void aDebouncedJobWaitsFromItsOwnFirstCall() {
        client.debounce("order 7", HOUR, HOUR).enqueue(Orders::remind, 7L);

        jobs.reset();
        clock.advance(Duration.ofMinutes(30));
        client.debounce("order 7", HOUR, HOUR).enqueue(Orders::remind, 8L);

        clock.advance(Duration.ofMinutes(45));
        assertThat(orders.ran).isEmpty();
        clock.advance(Duration.ofMinutes(20));
        assertThat(orders.ran).containsExactly(8L);
    }

    @Test
    void aRateHasItsBurstAndNoJobIsParked() {
        client.enqueue(Orders::charge, 1L);
        client.enqueue(Orders::charge, 2L);
        jobs.drain();

        jobs.reset();
        orders.ran.clear();
        client.enqueue(Orders::charge, 3L);
        jobs.drain();

        assertThat(orders.ran).containsExactly(3L);
        clock.advance(HOUR.multipliedBy(3));
        assertThat(orders.ran).containsExactly(3L);
    }

    @Test
    void aLimiterHasRoomAndTheSizeThatWasSet(@Autowired Limiters limiters, @Autowired JobsAdmin admin) {
        Limiter mails = limiters.window("mails", 1, HOUR);
        Limiter calls = limiters.window("calls", 1, HOUR);
        mails.run(() -> {});
        calls.run(() -> {});
        admin.limiters().resize(Limiters.Kind.WINDOW, "calls", 2);
        assertThatThrownBy(() -> mails.run(() -> {})).isInstanceOf(OverLimitException.class);

        jobs.reset();

        mails.run(() -> {});
        calls.run(() -> {});
        calls.run(() -> {});
        assertThatThrownBy(() -> calls.run(() -> {})).isInstanceOf(OverLimitException.class);
    }

    @Test
    void theKeyOfABatchMakesANewOne(@Autowired Batches batches) {
        String first = batches.create("reminders", "today", batch -> batch.add(JobCall.of(Orders::remind, 1L)));

        jobs.reset();

        assertThat(batches.create("reminders", "today", batch -> batch.add(JobCall.of(Orders::remind, 2L))))
                .isNotEqualTo(first);
        jobs.drain();
        assertThat(orders.ran).contains(2L);
    }

    @Test
    void whatARunningJobLeavesIsForgottenToo(@Autowired JobsAdmin admin) throws Exception {
        orders.open = new CountDownLatch(1);
        client.enqueue(Orders::prepare, 7L);
        client.in(HOUR).enqueue(Orders::remind, 8L);
        assertThat(executions.await(() -> executions.unheard() == 1, PATIENCE)).isTrue();

        CompletableFuture<Void> reset = CompletableFuture.runAsync(jobs::reset);
        assertThat(executions.await(() -> admin.stats().scheduled() == 0, PATIENCE))
                .isTrue();
        orders.open.countDown();
        reset.get(30, TimeUnit.SECONDS);

        assertThat(admin.stats().scheduled()).isZero();
        assertThat(client.enqueue(Orders::ship, 7L)).isNotNull();
    }

    @Test
    void aParkedJobStartsWhenItsRateLetsIt() {
        client.enqueue(Orders::charge, 1L);
        jobs.drain(); // else its settlement may bring a later job before an earlier one arrives
        for (long order : List.of(2L, 3L, 4L)) {
            client.enqueue(Orders::charge, order);
        }
        jobs.drain();
        assertThat(orders.ran).containsExactly(1L);

        clock.advance(HOUR);
        assertThat(orders.ran).containsExactly(1L, 2L);

        clock.advance(HOUR.multipliedBy(3));
        assertThat(orders.ran).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void locksAndThrottlesEndWithTheClock() {
        assertThat(client.throttle("order 7", HOUR).enqueue(Orders::remind, 7L)).isNotNull();
        assertThat(client.throttle("order 7", HOUR).enqueue(Orders::remind, 7L)).isNull();

        clock.advance(HOUR);

        assertThat(client.throttle("order 7", HOUR).enqueue(Orders::remind, 7L)).isNotNull();
    }
}
