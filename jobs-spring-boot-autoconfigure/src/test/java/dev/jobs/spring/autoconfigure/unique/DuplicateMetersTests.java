package dev.jobs.spring.autoconfigure.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.spring.autoconfigure.gauges.JobNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

class DuplicateMetersTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final DuplicateMeters meters = new DuplicateMeters(registry, new JobNames(jobs()));

    @Test
    void duplicatesAreCountedByJobAndQueue() {
        meters.duplicates("Mails.send", "mail", 3, "holder");
        meters.duplicates("Mails.send", "mail", 1, "other");
        meters.duplicates("Ruby", "mail", 2, "holder");

        assertThat(registry.get("jobs.duplicates")
                        .tags("job", "Mails.send", "queue", "mail")
                        .counter()
                        .count())
                .isEqualTo(4);
        assertThat(registry.get("jobs.duplicates")
                        .tags("job", "unknown", "queue", "mail")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    private static JobRegistry jobs() {
        try {
            Method method = Mails.class.getDeclaredMethod("send");
            return new JobRegistry(List.of(JobDefinition.of(
                    method.getAnnotation(Job.class), Mails.class, method, List.of(), arguments -> null)));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    static class Mails {

        @Job
        void send() {}
    }
}
