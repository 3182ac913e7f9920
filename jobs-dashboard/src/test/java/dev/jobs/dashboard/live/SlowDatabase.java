package dev.jobs.dashboard.live;

import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A database that has a warning once it is there again. */
public final class SlowDatabase implements FindingSource {

    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch answers = new CountDownLatch(1);

    public int asked() {
        return asked.get();
    }

    public void answer() {
        answers.countDown();
    }

    @Override
    public List<Finding> find() {
        asked.incrementAndGet();
        try {
            answers.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return List.of(new Finding("database", Finding.Level.WARNING, "shop", List.of(), "The database was slow"));
    }

    /** With it as a source of findings. */
    @Configuration(proxyBeanMethods = false)
    public static class Findings {

        @Bean
        SlowDatabase database() {
            return new SlowDatabase();
        }
    }
}
