package dev.jobs.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.unique.Unique;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What the application sets about its jobs in Redis holds in the Redis that a test starts as well. */
@JobsTest(
        mode = JobsMode.WORKER,
        properties = {
            "jobs.queues=default,imports",
            "jobs.concurrency=1",
            "jobs.ordered-queues.imports=fair",
            "jobs.dead.max-jobs=3"
        })
class SettingsOfTheStoreIT {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Imports.class)
    static class Application {}

    static class Imports {

        final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();

        @Job(queue = "imports", key = "{tenant}")
        void load(String tenant) {
            ran.add(tenant);
        }

        @Job
        @Unique(key = "all", onConflict = Unique.OnConflict.REJECT)
        void report() {}
    }

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private JobsAdmin admin;

    @Autowired
    private Imports imports;

    @BeforeEach
    void reset() {
        imports.ran.clear();
    }

    @Test
    void theTenantsOfAFairQueueTakeTurns() {
        admin.queues().pause("imports");
        for (int i = 0; i < 20; i++) {
            client.enqueue(Imports::load, "a");
        }
        client.enqueue(Imports::load, "b");
        client.enqueue(Imports::load, "b");

        admin.queues().resume("imports");
        jobs.drain();

        assertThat(imports.ran).hasSize(22);
        assertThat(imports.ran.stream().limit(5)).filteredOn("b"::equals).hasSize(2);
    }

    @Test
    void theDeadSetHasTheBoundsOfTheApplication() {
        admin.queues().pause("default");
        for (int i = 0; i < 5; i++) {
            client.enqueue(Imports::report);
        }
        admin.queues().resume("default");

        assertThat(admin.stats().dead()).isEqualTo(2);
    }
}
