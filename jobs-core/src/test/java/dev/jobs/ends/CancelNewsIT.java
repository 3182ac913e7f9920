package dev.jobs.ends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a process learns of cancelled jobs, heartbeat by heartbeat. */
class CancelNewsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private ChoreTestBed process;
    private Cancellations stored;
    private CancelledJobs known;
    private CancelNews news;

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        stored = new Cancellations(process.connection, process.keys);
        known = new CancelledJobs();
        news = new CancelNews(stored, known, new Capsules(List.of(), process.context, (job, reason) -> {}));
    }

    @AfterEach
    void close() {
        process.close();
    }

    private void cancel(String jid) {
        stored.cancel(jid, Instant.now());
    }

    /** What a heartbeat would say. */
    private String newest() {
        return redis.texts().zrevrangeWithScores("jobs:cancelled", 0, 0).stream()
                .map(each -> Double.toString(each.getScore()))
                .findFirst()
                .orElse("");
    }

    @Test
    void allIsReadBeforeTheFirstJobAndThenWhatIsNew() {
        cancel("before");
        news.readAll(stored);
        assertThat(known.size()).isEqualTo(1);
        assertThat(known.contains("before")).isTrue();

        cancel("after");
        news.heard(newest());
        assertThat(known.contains("after")).isTrue();
        assertThat(known.contains("before")).isTrue();
        assertThat(known.contains("another")).isFalse();
    }

    @Test
    void nothingIsReadWhileTheHeartbeatSaysTheSame() {
        cancel("one");
        news.heard(newest());
        redis.texts().configResetstat();
        news.heard(newest());
        assertThat(redis.calls("zrangebyscore")).as("reads").isZero();

        cancel("two");
        String newest = newest();
        redis.texts().configResetstat();
        news.heard(newest);
        assertThat(redis.calls("zrangebyscore")).as("the counter counts").isPositive();
    }

    @Test
    void whatDataThatAreGoneSaidIsForgotten() {
        cancel("old");
        news.heard(newest());
        redis.flush();
        news.heard(newest());
        assertThat(known.contains("old")).isFalse();

        cancel("old");
        news.heard(newest());
        redis.flush(); // and an older copy takes their place
        redis.texts().zadd("jobs:cancelled", 1, "other");
        redis.texts().zadd("jobs:cancelled", 1, "");
        news.heard(newest());
        assertThat(known.contains("old")).isFalse();
        assertThat(known.contains("other")).isTrue();
    }

    @Test
    void aKeyThatCannotBeReadIsToldOnceAndKeepsNobodyFromWork() {
        redis.texts().set("jobs:cancelled", "text");
        try (LogLines lines = LogLines.of(CancelNews.class).open()) {
            news.readAll(stored);
            assertThat(lines.messages(Level.WARN)).isEmpty();
            news.heard("");
            news.heard("");
            assertThat(lines.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .startsWith("Can't read which jobs are cancelled, so they run");
        }
    }

    @Test
    void withoutRedisAllCannotBeRead() {
        process.connection.close();
        assertThatThrownBy(() -> news.readAll(stored)).isInstanceOf(JobStoreException.class);
    }

    @Test
    void thoseThatEndedAreForgottenOnceThereAreMany() {
        cancel("kept");
        for (int i = 1; i <= 1_200; i++) {
            cancel("ended" + i);
        }
        news.heard(newest());
        assertThat(known.size()).isEqualTo(1_201);

        for (int i = 1; i <= 1_200; i++) {
            redis.texts().zrem("jobs:cancelled", "ended" + i);
        }
        cancel("new");
        news.heard(newest());
        assertThat(known.size()).isEqualTo(2);
        assertThat(known.contains("kept")).isTrue();
    }
}
