package dev.jobs.unique;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobHandle;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobResult;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that replace each other, through a real engine. */
class ReplacedJobsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Shops shops = new Shops();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final RedisJobClient client = bed.client(shops);

    static final class Shops {

        final Queue<String> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch release = new CountDownLatch(1);

        @Job("latest")
        @Unique(key = "{0}", onConflict = OnConflict.REPLACE)
        void latest(long shop, int version) throws InterruptedException {
            ran.add("latest " + version);
            if (version < 0) {
                release.await();
            }
        }

        @Job("next")
        @Unique(key = "{0}", until = Until.START, onConflict = OnConflict.REPLACE)
        void next(long shop, int version) throws InterruptedException {
            ran.add("next " + version);
            if (version < 0) {
                release.await();
            }
        }

        @Job("index")
        void index(long product, int version) {
            ran.add("index " + version);
        }
    }

    @AfterEach
    void close() {
        shops.release.countDown();
    }

    private void assertNothingIsLeft() {
        assertThat(redis.texts().keys("unique:*")).isEmpty();
        assertThat(redis.texts().keys("jobs:twin:*")).isEmpty();
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aCallerThatAwaitsAReplacedJobHearsOfIt() throws InterruptedException {
        JobHandle<Void> first = client.submit("latest", Void.class, 5L, 1);
        JobHandle<Void> second = client.submit("latest", Void.class, 5L, 2);

        bed.start(shops);

        JobResult<Void> result = first.await(Duration.ofSeconds(30));
        assertThat(result.state()).isEqualTo(JobResult.State.DELETED);
        assertThat(result.message()).contains("replaced");
        assertThat(second.await(Duration.ofSeconds(30)).state()).isEqualTo(JobResult.State.SUCCEEDED);
    }

    @Test
    void onlyTheLatestOfWaitingJobsRuns() {
        client.enqueue(Shops::latest, 5L, 1);
        client.queue("low").enqueue(Shops::latest, 5L, 2);
        client.enqueue(Shops::latest, 5L, 3);
        client.enqueue(Shops::latest, 6L, 4);

        bed.start(shops);
        bed.awaitDrained("default");
        bed.stopEngines();

        assertThat(shops.ran).containsExactlyInAnyOrder("latest 3", "latest 4");
        assertThat(bed.ends.stream().filter(each -> each.ending() == Ending.REPLACED))
                .hasSize(1);
        assertThat(redis.texts().get("stat:processed")).isEqualTo("2");
        assertThat(client.queue("low").enqueue(Shops::latest, 5L, 7)).isNotNull();
        assertThat(redis.texts().llen("queue:low")).isEqualTo(2);
    }

    @Test
    void aRunningJobIsNotReplaced() {
        String first = client.enqueue(Shops::latest, 5L, -1);
        bed.start(shops);
        await().until(() -> shops.ran.contains("latest -1"));

        assertThatThrownBy(() -> client.enqueue(Shops::latest, 5L, 2))
                .isInstanceOfSatisfying(
                        DuplicateJobException.class, e -> assertThat(e.holder()).isEqualTo(first));

        shops.release.countDown();
        bed.awaitDrained("default");
        bed.stopEngines();
        assertNothingIsLeft();
    }

    @Test
    void whileOneRunsTheLatestWaits() {
        client.enqueue(Shops::next, 5L, -1);
        bed.start(shops);
        await().until(() -> shops.ran.contains("next -1"));
        for (int i = 1; i <= 5; i++) {
            assertThat(client.in(Duration.ofHours(1)).enqueue(Shops::next, 5L, i))
                    .isNotNull();
        }
        assertThat(redis.texts().zcard("schedule")).isEqualTo(1);
        client.in(Duration.ofMillis(100)).enqueue(Shops::next, 5L, 6);

        shops.release.countDown();
        await().atMost(Duration.ofSeconds(20)).until(() -> shops.ran.contains("next 6"));
        bed.awaitDrained("default");
        bed.stopEngines();

        assertThat(shops.ran).containsExactly("next -1", "next 6");
        assertNothingIsLeft();
    }

    @Test
    void aDebouncedJobRunsOnceAfterThePauseAndNoneIsLostWhenPromotionsRaceTheCalls() {
        bed.start(shops);
        for (int i = 1; i <= 200; i++) {
            client.debounce("p:1", Duration.ofMillis(5), Duration.ofMillis(20)).enqueue(Shops::index, 1L, i);
        }

        await().atMost(Duration.ofSeconds(20)).until(() -> shops.ran.contains("index 200"));
        await().until(() -> redis.texts().zcard("schedule") == 0);
        bed.awaitDrained("default");
        bed.stopEngines();

        assertThat(shops.ran).doesNotHaveDuplicates().hasSizeLessThan(200);
        assertNothingIsLeft();
    }
}
