package dev.jobs.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.lists.JobQueues;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the leader logs of queues that no worker serves, on a clock that the test sets. */
class UnservedQueuesIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @RegisterExtension
    private final LogLines lines = LogLines.of(UnservedQueues.class);

    private final AtomicLong nanos = new AtomicLong();
    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open("test");

    private final Lease lease = new Lease(() -> "me", new Timing(Duration.ofSeconds(20)), nanos::get);
    private final EngineEnvironment system = EngineEnvironment.system();
    private final RunContext context = RunContext.of(
            new EngineEnvironment(
                    Clock.systemUTC(), nanos::get, new Random(1), system.processorThreads(), system.outOfMemory()),
            PayloadTimes.MILLISECONDS,
            JobHooks.none(),
            EngineTestBed.unlimited(),
            RunParts.effects(connections.keys(), EngineTestBed.unlimited(), List.of()),
            lease,
            3,
            new AtomicInteger());
    private final UnservedQueues check = new UnservedQueues(
            new JobQueues(connection, connections.keys()),
            new ProcessRegistry(connection, connections.keys()),
            context,
            List.of("default"));

    static final class Jobs {
        @Job
        void run() {}
    }

    @BeforeEach
    void empty() {
        redis.flush();
        lead("me");
    }

    @Test
    void warnsOfJobsThatWaitInOrderInAQueueThatIsNotKnownAsOrdered() {
        redis.texts().zadd("jobs:order:default", 1, "{}");
        redis.texts().zadd("jobs:order:another", 1, "{}");
        check.runOnce();
        nanos.addAndGet(UnservedQueues.EACH.toNanos());
        check.runOnce();
        nanos.addAndGet(UnservedQueues.EACH.toNanos());
        check.runOnce();
        assertThat(logged())
                .singleElement()
                .asString()
                .contains("1 jobs wait in order in the queue 'default'", "jobs.ordered-queues");
    }

    /** It may be the one that moves due jobs to them. */
    @Test
    void warnsOfJobsInOrderInQueuesOfOtherProcesses() {
        check.runOnce();
        lead("another");
        redis.texts().sadd("queues", "imports", "plain");
        redis.texts().zadd("jobs:order:imports", 1, "{}");
        nanos.addAndGet(UnservedQueues.EACH.toNanos());
        check.runOnce();
        assertThat(logged())
                .singleElement()
                .asString()
                .contains("1 jobs wait in order in the queue 'imports'", "jobs.ordered-queues");
    }

    private void lead(String leader) {
        lease.beaten(
                lease.current(),
                nanos.get(),
                new Alive(0, Instant.EPOCH, leader, Set.of(), 1, List.of(), Duration.ofSeconds(3), "1"));
    }

    private void push(String queue) {
        redis.texts().sadd("queues", queue);
        redis.texts().lpush("queue:" + queue, "{}");
    }

    private void serve(String identity, String info) {
        redis.texts().sadd("processes", identity);
        redis.texts().hset(identity, "info", info);
    }

    private void checkTwice() {
        checkAfter(UnservedQueues.EACH);
        checkAfter(UnservedQueues.EACH);
    }

    private void checkAfter(Duration time) {
        nanos.addAndGet(time.toNanos());
        lead("me");
        check.runOnce();
    }

    private List<String> logged() {
        return lines.events().stream()
                .filter(each -> each.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aQueueWhoseNameHasControlCharactersIsLoggedInOneLine() {
        push("\0forged\nline");
        checkTwice();
        assertThat(logged()).singleElement().asString().doesNotContainPattern("\\p{Cntrl}");
    }

    @Test
    void aQueueWithJobsThatNoWorkerServesIsLoggedOnceAnHour() {
        push("default");
        push("reports");
        push("reports");

        checkAfter(UnservedQueues.EACH);
        assertThat(logged()).isEmpty();
        checkAfter(UnservedQueues.EACH);
        assertThat(logged())
                .singleElement()
                .asString()
                .startsWith("No live worker serves the queue 'reports', and 2 jobs wait in it")
                .contains("jobs.queues");

        for (int i = 0; i < 100; i++) {
            checkAfter(UnservedQueues.EACH);
        }
        assertThat(logged()).hasSize(1);
        checkAfter(UnservedQueues.QUIET);
        assertThat(logged()).hasSize(2);
    }

    @Test
    void aQueueOfAnotherWorkerIsNotLoggedWhateverItsLanguage() {
        push("java");
        push("ruby");
        serve("a:1:x", "{\"queues\":[\"java\"]}");
        serve("b:1:x", "{\"capsules\":{\"default\":{\"weights\":{\"ruby\":0}}}}");
        serve("c:1:x", "not JSON");
        serve("d:1:x", "{\"queues\":3,\"capsules\":{\"default\":3}}");

        checkTwice();

        assertThat(logged()).isEmpty();
    }

    @Test
    void aQueueWhoseWorkerHasJustStartedIsNotLogged() {
        push("reports");
        checkAfter(UnservedQueues.EACH);
        serve("a:1:x", "{\"queues\":[\"reports\"]}");
        checkAfter(UnservedQueues.EACH);

        assertThat(logged()).isEmpty();
    }

    @Test
    void neitherAPausedQueueNorAnEmptyOneIsLogged() {
        push("paused");
        redis.texts().sadd("paused", "paused");
        redis.texts().sadd("queues", "empty");
        redis.texts().sadd("queues", "broken");
        redis.texts().set("queue:broken", "text");

        checkTwice();

        assertThat(logged()).isEmpty();
    }

    @Test
    void onlyTheLeaderChecks() {
        push("reports");
        for (int i = 0; i < 3; i++) {
            nanos.addAndGet(UnservedQueues.EACH.toNanos());
            lead("other");
            check.runOnce();
        }

        assertThat(logged()).isEmpty();
        checkTwice();
        assertThat(logged()).hasSize(1);
    }

    @Test
    @LongTest
    void anEngineChecksWhileItRuns() {
        push("reports");
        try (EngineTestBed bed = new EngineTestBed(redis)) {
            bed.start(new Jobs());

            await().atMost(Duration.ofMinutes(1)).until(() -> logged().size() == 1);
        }
    }
}
