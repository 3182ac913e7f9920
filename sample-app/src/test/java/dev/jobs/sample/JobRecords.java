package dev.jobs.sample;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobMiddleware;
import dev.jobs.spring.JobFinishedEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

/**
 * Records every job that the shop enqueues, starts and ends in an append-only file that outlives any process. A line
 * has the event, the job's id and its name.
 */
@TestConfiguration(proxyBeanMethods = false)
class JobRecords {

    static final String ENQUEUED = "ENQUEUED";
    static final String STARTED = "STARTED";

    private final Path file;

    JobRecords(@Value("${records}") Path file) {
        this.file = file;
    }

    @Bean
    @Order(0)
    EnqueueMiddleware recordEnqueued() {
        return (payload, next) -> {
            write(ENQUEUED, payload.jid(), payload.name());
            return next.proceed(payload);
        };
    }

    @Bean
    @Order(0)
    JobMiddleware recordStarted() {
        return (job, next) -> {
            write(STARTED, job.jid(), job.name());
            next.proceed();
        };
    }

    @EventListener
    void recordFinished(JobFinishedEvent event) {
        write(event.ending().name(), event.jid(), event.name());
    }

    private synchronized void write(String what, String jid, String name) {
        try {
            Files.writeString(
                    file, what + " " + jid + " " + name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
