package dev.jobs.limiters;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Permits that Redis has for a process and no thread of it holds, as after a failover. */
class StrayPermitsIT {

    private static final String PERMITS = "jobs:limiter:slots:erp";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @AutoClose
    private final StoredLimiters limiters = new StoredLimiters(
            new JobLimiters(bed.connections()), bed.current, JobHooks.none(), System::nanoTime, new SecureRandom());

    private final Calls calls = new Calls();

    private ChoreTestBed process;
    private StrayPermits strays;

    final class Calls {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch mayLeave = new CountDownLatch(1);
        final CountDownLatch outside = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @Job("calls")
        void call() throws InterruptedException {
            limiters.concurrent("erp", 1000).run(() -> {
                inside.countDown();
                mayLeave.await(1, TimeUnit.MINUTES);
            });
            outside.countDown();
            mayEnd.await(1, TimeUnit.MINUTES);
        }
    }

    @BeforeEach
    void aJobIsInside() throws InterruptedException {
        process = new ChoreTestBed(bed, bed.start(calls).health().identity());
        strays = new StrayPermits(process.connection, process.keys, bed.current, process.context);
        bed.push("default", payload("calls", "j1", "[]"));
        assertThat(calls.inside.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @AfterEach
    void end() {
        calls.mayLeave.countDown();
        calls.mayEnd.countDown();
        bed.awaitDrained("default");
        bed.stopEngines();
        process.close();
    }

    private List<String> permits() {
        return redis.texts().zrange(PERMITS, 0, -1);
    }

    @Test
    void thatOfAThreadThatIsInsideStays() {
        String another = "another\n0:1:1:default\nf00d";
        redis.texts().zadd(PERMITS, 0, another);
        List<String> all = permits();

        strays.runOnce();

        assertThat(permits()).hasSize(2).isEqualTo(all);
    }

    private String left() throws InterruptedException {
        String permit = permits().get(0);
        calls.mayLeave.countDown();
        assertThat(calls.outside.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(permits()).isEmpty();
        return permit;
    }

    /** A replica that has become the primary has the permit, and the connection is another one. */
    private void failOver(String permit) {
        redis.texts().zadd(PERMITS, 0, permit);
        process.connection.drop();
    }

    @Test
    void oneThatComesBackAfterItWasGivenBackIsGivenBackAgainWhileTheJobGoesOn() throws Exception {
        String permit = left();
        strays.runOnce();
        redis.texts().zadd(PERMITS, 0, permit);
        strays.runOnce();
        assertThat(permits()).as("without a failover nobody looks").hasSize(1);

        failOver(permit);
        strays.runOnce();

        assertThat(permits()).isEmpty();
    }

    @Test
    void limitersThatWereUsedLongAgoAreNotLookedAt() throws Exception {
        String permit = left();
        process.nanos.set(System.nanoTime() + Duration.ofMinutes(11).toNanos());
        failOver(permit);

        strays.runOnce();

        assertThat(permits()).hasSize(1);
    }

    /** Until this process has noticed, a clone of it may hold permits of the same identity. */
    @Test
    void aLookEndsWithTheIdentity() {
        addMany(2_150);
        strays.runOnce();
        long before = permits().size();
        process.lease.renew(process.lease.current());

        assertThat(strays.runOnce()).isEqualTo(Duration.ofSeconds(5));

        assertThat(permits()).hasSize((int) before);
    }

    private void addMany(int count) {
        String permit = permits().get(0);
        for (int i = 0; i < count; i++) {
            redis.texts().zadd(PERMITS, 0, permit.substring(0, permit.indexOf('\n')) + "\n0:0:1:default\n" + i);
        }
    }

    @Test
    void allOfManyAreLookedAt() {
        String permit = permits().get(0);
        addMany(2_150);

        assertThat(strays.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(strays.runOnce()).isEqualTo(Duration.ofSeconds(5));
        assertThat(permits()).containsExactly(permit);
    }

    @Test
    void theEngineLooks() {
        calls.mayLeave.countDown();
        calls.mayEnd.countDown();
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        redis.texts().zadd(PERMITS, 0, process.lease.current().id() + "\n0:1:1:default\nf00d");

        redis.texts()
                .clientList()
                .lines()
                .filter(line -> line.contains("name=jobs-chores"))
                .forEach(line -> redis.texts().clientKill(line.replaceAll(".*\\baddr=(\\S+).*", "$1")));

        await().atMost(Duration.ofMinutes(1)).until(() -> permits().isEmpty());
    }
}
