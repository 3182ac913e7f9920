package dev.jobs.versions;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobParam;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.UnknownJobException;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that one version can't run wait for a worker of another one, and use up no retries. */
class TwoVersionsIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final List<String> ran = new CopyOnWriteArrayList<>();

    final class Old {
        @Job("Mail")
        void mail(String to) {
            ran.add("old " + to);
        }
    }

    final class New {
        @Job("Mail")
        void mail(String to, @JobParam(defaultValue = "1") int copies) {
            ran.add("new " + to + " " + copies);
        }

        @Job("Added")
        void added(String what) {
            if (what.equals("fail")) {
                throw new IllegalStateException("failed");
            }
            ran.add(what);
        }
    }

    @BeforeEach
    void empty() {
        bed.config = bed.config.with(values -> values.unknownJobWait = Duration.ofMinutes(10));
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    /** Waits until others can see which jobs so many engines know. */
    private void awaitPublished(int engines) {
        RedisConnection reading = bed.connections().open("jobs-test-processes");
        ProcessRegistry registry =
                new ProcessRegistry(reading, bed.connections().keys());
        await().atMost(LONG).until(() -> registry.list().size() == engines);
        reading.close();
    }

    private Payload awaitEntry(String set) {
        await().atMost(LONG).until(() -> redis.texts().zcard(set) == 1);
        return bed.only(set);
    }

    @Test
    @LongTest
    void anUnknownJobWaitsInTheScheduledSetWithoutUsingItsRetriesAndRunsWhereItIsKnown() {
        bed.start(new Old());
        bed.push("default", payload("Added", "j1", "[\"x\"]", "\"retry\":0", "\"enqueued_at\":1795237556187"));
        Payload waiting = awaitEntry("schedule");
        assertThat(waiting.integer(ForeignJobs.SINCE)).isNotNull();
        assertThat(waiting.queue()).isEqualTo("default");
        assertThat(waiting.names()).doesNotContain("enqueued_at", "retry_count", "error_message");
        bed.start(new New());

        await().atMost(LONG).until(() -> ran.equals(List.of("x")));

        bed.stopEngines();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).contains(Ending.POSTPONED, Ending.DONE);
        assertThat(bed.processed()).as("a job that waits is not counted").isOne();
        assertThat(bed.failed()).isZero();
        assertThat(bed.errors).isEmpty();
        assertThat(redis.texts().exists("retry", "dead", "schedule")).isZero();
    }

    @Test
    void anUnknownJobFailsWhenItsTimeIsOverAndNoWorkerKnowsIt() {
        long elevenMinutesAgo = System.currentTimeMillis() - 660_000;
        bed.push("default", payload("Added", "j1", "[\"x\"]", "\"" + ForeignJobs.SINCE + "\":" + elevenMinutesAgo));
        bed.start(new Old());

        Payload failed = awaitEntry("retry");
        assertThat(failed.text("error_class")).isEqualTo(UnknownJobException.class.getName());
        assertThat(failed.integer(ForeignJobs.SINCE))
                .as("it fails at once next time, too")
                .isEqualTo(elevenMinutesAgo);
    }

    @Test
    void anUnknownJobWaitsLongerWhileALiveWorkerKnowsIt() {
        bed.clock(Clock.offset(Clock.systemUTC(), Duration.ofMinutes(-60)));
        JobEngine knows = bed.start(new New());
        awaitPublished(1);
        bed.environment = EngineEnvironment.system();
        bed.start(new Old());
        awaitPublished(2);
        bed.push("default", payload("Added", "j1", "[\"x\"]", "\"" + ForeignJobs.SINCE + "\":" + 1_000));
        await().atMost(LONG).until(() -> ran.equals(List.of("x")));
        bed.awaitDrained("default");
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        knows.stop();
    }

    @LongTest
    @Test
    void argumentsForAnotherVersionWaitWhileAWorkerOfItLives() {
        bed.start(new Old());
        JobEngine other = bed.start(new New());
        awaitPublished(2);
        for (int i = 0; i < 20; i++) {
            bed.push("default", payload("Mail", "j" + i, "[\"a\"," + i + "]", "\"retry\":0"));
        }
        await().atMost(LONG).until(() -> ran.size() == 20);
        assertThat(ran).isNotEmpty().allMatch(line -> line.startsWith("new a "));
        other.stop();
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    /** The new version's callers are often faster than its first worker. */
    @Test
    @LongTest
    void argumentsForAVersionWhoseFirstWorkerIsStillStartingWaitAndUseNoRetry() {
        bed.start(new Old());
        awaitPublished(1);
        bed.push("default", payload("Mail", "j1", "[\"a\",2]", "\"retry\":0"));
        bed.push("default", payload("Mail", "j2", "[\"a\",2]", "\"retry\":false"));
        await().atMost(LONG).until(() -> redis.texts().zcard("schedule") == 2);
        bed.start(new New());

        await().atMost(LONG).until(() -> ran.equals(List.of("new a 2", "new a 2")));

        bed.stopEngines();
        assertThat(bed.failed()).isZero();
        assertThat(bed.errors).isEmpty();
        assertThat(redis.texts().exists("retry", "dead", "schedule")).isZero();
    }

    @Test
    void argumentsThatNoVersionReadsFailWhenAWorkerHasHadTimeToStart() {
        bed.start(new Old());
        awaitPublished(1);
        long longEnoughAgo = System.currentTimeMillis() - ForeignJobs.START.toMillis();
        bed.push("default", payload("Mail", "j1", "[\"a\",2]", "\"" + ForeignJobs.SINCE + "\":" + longEnoughAgo));
        assertThat(awaitEntry("retry").text("error_message")).contains("There are 2 arguments");
        assertThat(redis.texts().exists("schedule")).isZero();
    }

    @Test
    void aJobThatRunsWhereItIsKnownForgetsThatItWaited() {
        bed.push("default", payload("Added", "j1", "[\"fail\"]", "\"" + ForeignJobs.SINCE + "\":1000"));
        bed.start(new New());
        assertThat(awaitEntry("retry").has(ForeignJobs.SINCE)).isFalse();
    }
}
