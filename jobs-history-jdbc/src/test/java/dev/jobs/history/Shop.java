package dev.jobs.history;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.Masked;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.encryption.Encrypted;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Jobs with every kind of end. */
class Shop {

    /** What {@link #wait} waits for. */
    volatile CountDownLatch gate = new CountDownLatch(0);

    /** Whether {@link #die} succeeds. */
    volatile boolean healed;

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        RetryPolicy soon() {
            return (payload, count, failure) -> Decision.retryAfter(Duration.ofSeconds(1));
        }
    }

    @Job
    String enroll(long product, JobContext job) {
        job.message("product " + product + " is enrolled");
        return "enrolled-" + product;
    }

    @Job
    void refuse(long product) {
        throw new JobFailedException("Product " + product + " is not qualified");
    }

    @Job(retry = 0)
    void die(long product, JobContext job) {
        if (!healed) {
            job.message("about to die");
            throw new IllegalStateException("No stock of " + product);
        }
    }

    @Job(retry = 1)
    void stumble(long product, JobContext job) {
        if (job.attempt() == 1) {
            throw new IllegalArgumentException("Try " + product + " again");
        }
        job.message("It worked");
    }

    @Job
    void pay(String customer, @Masked String card) {
        throw new JobFailedException("Card " + card + " of " + customer + " is refused");
    }

    @Job
    @Encrypted
    void payOut(String iban, JobContext job) {
        job.message("to " + iban);
        throw new JobFailedException("No account " + iban);
    }

    @Job
    @Encrypted
    void enPayOut(String iban) {}

    @Job(retry = Job.NONE)
    @Encrypted
    void enPayOutAbroad(String iban) {
        throw new IllegalStateException("No account " + iban);
    }

    @Job
    void await(long product) throws InterruptedException {
        gate.await();
    }
}
