package dev.jobs.slices;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.jobs.JobClient;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** An application that names its shards has all their jobs in one in its tests. */
class NamedShardsTests {

    @TestPropertySource(
            properties = {
                "jobs.queues=default,mail",
                "jobs.shards.home.queues=default",
                "jobs.shards.east.url=redis://localhost:1",
                "jobs.shards.east.queues=mail"
            })
    abstract static class NamedShards {

        @Autowired
        JobShards shards;

        @Autowired
        JobClient client;

        @Autowired
        TestJobs jobs;

        @Test
        void eachHasTheJobsOfTheTest() {
            String jid = shards.get("east").client().enqueue(Mails::welcome, "bob");
            client.enqueue(Mails::welcome, "eve");

            jobs.awaitDone(jid);
            jobs.drain();

            assertThat(jobs).hasSize(2).enqueued(Mails::welcome, "bob").isDone();
            assertThat(jobs).enqueued(Mails::welcome, "eve").isDone();
        }

        @Test
        void theirNamesAreThoseOfTheConfiguration() {
            assertThat(shards.map().of("mail")).containsExactly("east");
            assertThat(shards.all()).extracting(JobShards.Shard::name).containsExactly("home", "east");
            assertThat(shards.get("east").recurring().list())
                    .isEqualTo(shards.get("home").recurring().list());
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> shards.get("north"))
                    .withMessage("There is no shard 'north': the shards are [home, east]");
        }
    }

    @Nested
    @JobsTest(Mails.class)
    class Recorded extends NamedShards {}

    @Nested
    @JobsTest(value = Mails.class, mode = JobsMode.INLINE)
    class Inline extends NamedShards {}
}
