package dev.jobs.test.shop;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.deaths.OnDeath;
import dev.jobs.encryption.Encrypted;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.unique.Unique;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
class Payments {

    private final JobClient jobs;
    private final Limiters limiters;

    /** How many of the next charges fail. */
    final AtomicInteger failures = new AtomicInteger();

    /** The orders whose charges died. */
    final Queue<String> uncharged = new ConcurrentLinkedQueue<>();

    volatile CountDownLatch lastWordBegun = new CountDownLatch(1);
    volatile CountDownLatch lastWordMayEnd = new CountDownLatch(0);

    Payments(JobClient jobs, Limiters limiters) {
        this.jobs = jobs;
        this.limiters = limiters;
    }

    @Job("charge-card")
    void charge(long order, JobContext job) throws IOException {
        if (failures.getAndDecrement() > 0) {
            throw new IOException("the bank does not answer");
        }
        jobs.enqueue(Emails::welcome, "customer of " + order, job.attempt());
        jobs.in(Duration.ofDays(30)).enqueue(Payments::remind, order);
    }

    @OnDeath("charge")
    void notCharged(long order, @Nullable Throwable failure) throws InterruptedException {
        lastWordBegun.countDown();
        lastWordMayEnd.await();
        uncharged.add(order + ": " + (failure == null ? "killed" : failure.getMessage()));
    }

    @Job(queue = "low")
    void remind(long order) {}

    /** Enqueues itself once more while it runs. */
    @Job
    @Unique(key = "{0}", until = Unique.Until.START)
    void dun(long order, int times) {
        if (times > 1) {
            jobs.enqueue(Payments::dun, order, times - 1);
        }
    }

    /** For how long the bank has no room. */
    volatile Duration full = Duration.ofMinutes(10);

    /** The bank may have no room, whatever our own limiter says. */
    @Job
    void settle(long order) {
        limiters.concurrent("bank", 1).run(() -> {
            if (failures.getAndDecrement() > 0) {
                throw new OverLimitException("bank", full);
            }
        });
    }

    @Job
    long total(long order, JobContext job) throws IOException {
        if (failures.getAndDecrement() > 0) {
            throw new IOException("the bank does not answer");
        }
        job.log("adding up order " + order);
        return order * 2;
    }

    @Job
    @Encrypted
    void payOut(String iban, long order) {
        uncharged.add("paid out " + order + " to " + iban);
    }

    @Job
    void refund(long order) {
        throw new JobFailedException("order " + order + " is not paid");
    }
}
