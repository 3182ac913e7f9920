package dev.jobs.ends;

import static dev.jobs.client.ClientTestBed.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobStoreException;
import dev.jobs.client.ClientTestBed;
import dev.jobs.iterations.Iteration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancelling as a client sees it, with the mark of an iterable job that Ruby reads. */
@Tag("sidekiq-18")
class CancelIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static final class Shops {
        @Job("Reindex")
        Iteration<String> reindex(long shopId, JobContext job) {
            return Iteration.over(List.of("a")).each(element -> {});
        }

        @Job("Reprice")
        Iteration<String> reprice(int percent) {
            return Iteration.over(List.of("a")).each(element -> {});
        }
    }

    @Test
    void iterableJobsAreEnqueuedByMethodReferenceLikeAllOthers() {
        JobClient jobs = bed.client(Shops.class);

        jobs.enqueue(Shops::reindex, 5L);
        jobs.enqueue(Shops::reprice, 10);

        assertThat(bed.queue("default")).hasSize(2);
        assertThat(bed.queue("default").get(0))
                .contains("\"class\":\"Reindex\"")
                .contains("\"args\":[5]");
        assertThat(bed.queue("default").get(1))
                .contains("\"class\":\"Reprice\"")
                .contains("\"args\":[10]");
    }

    @Test
    void marksAJobThatHasNotRunYetSoThatRubyCanReadIt() {
        Instant since = bed.client().cancel("j1");

        assertThat(since).isEqualTo(Instant.ofEpochSecond(NOW.getEpochSecond()));
        assertThat(bed.redis.texts().hgetall("it-j1"))
                .isEqualTo(Map.of("cancelled", Long.toString(NOW.getEpochSecond()), "c", "null"));
        assertThat(bed.client().cancel("j1")).isEqualTo(since);
    }

    @Test
    @Tag("sidekiq-0.18")
    void keepsTheMarkForThirtyDays() {
        bed.client().cancel("j1");

        assertThat(bed.redis.texts().ttl("it-j1")).isBetween(2_592_000L - 60, 2_592_000L);
    }

    @Test
    void leavesAnEarlierMarkTheCursorAndTheExpiryUnchanged() {
        Map<String, String> earlier = Map.of("ex", "1", "c", "7", "rt", "1.0", "cancelled", "1700000000");
        bed.redis.texts().hset("it-j1", earlier);
        bed.redis.texts().expire("it-j1", 100);

        assertThat(bed.client().cancel("j1")).isEqualTo(Instant.ofEpochSecond(1_700_000_000));

        assertThat(bed.redis.texts().hgetall("it-j1")).isEqualTo(earlier);
        assertThat(bed.redis.texts().ttl("it-j1")).isBetween(1L, 100L);
    }

    @Test
    void saysWhatCouldNotBeCancelled() {
        bed.redis.texts().set("it-j1", "text");

        assertThatThrownBy(() -> bed.client().cancel("j1"))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("Could not cancel job j1");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void refusesToCancelAJobWithoutAJid(String jid) {
        assertThatThrownBy(() -> bed.client().cancel(jid))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("Can't cancel a job without a jid");
        assertThatThrownBy(() -> bed.client().cancel("j".repeat(1_001)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("1001 characters");
    }
}
