package dev.jobs.chores;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.limits.LostPermits;
import dev.jobs.lists.LostEffects;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a leader does about effects that met errors, on a clock that the test sets. */
class EffectUpkeepIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    /** That a lock of the job j1 was not released. */
    private static final String NOTE = "4:lock4:done0:1:01:18:unique:K2:j15:60000";

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private ChoreTestBed process;
    private EffectUpkeep upkeep;

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        upkeep = new EffectUpkeep(
                new LostEffects(process.connection, process.keys),
                new LostPermits(process.connection, process.keys),
                process.context);
    }

    @AfterEach
    void close() {
        process.close();
    }

    private static void lose(String time) {
        redis.texts().set("unique:K", "j1");
        redis.texts().rpush("jobs:effects:lost", time.length() + ":" + time + NOTE);
    }

    private String now() {
        return Long.toString(process.context.environment().clock().instant().getEpochSecond());
    }

    @Test
    void theLeaderMakesEffectsAgain() {
        lose(now());
        process.follow("another");
        upkeep.runOnce();
        assertThat(redis.texts().exists("unique:K")).isEqualTo(1);

        process.follow("me");
        assertThat(upkeep.runOnce()).isEqualTo(Duration.ofSeconds(5));
        assertThat(redis.texts().exists("unique:K", "jobs:effects:lost")).isZero();
    }

    @Test
    void whatIsGivenUpIsToldInOneLine() {
        lose("1");
        lose("2");
        try (LogLines lines = LogLines.of(EffectUpkeep.class).open()) {
            upkeep.runOnce();
            assertThat(lines.messages(Level.WARN))
                    .containsExactly(
                            "2 effects of jobs (lock) met errors for ten minutes and are given up. Look for keys"
                                    + " of Jobs that hold another type than docs/redis-keys.md says");
        }
        assertThat(redis.texts().exists("jobs:effects:lost")).isZero();
    }

    @Test
    void permitsWithoutJobsAreDroppedOnceAMinute() {
        redis.texts().hset("jobs:limits", "d:big", "1");
        redis.texts().zadd("jobs:permits:big", 0, "k\nme\n0:1:1:mail");
        upkeep.runOnce();
        assertThat(redis.texts().exists("jobs:permits:big")).isZero();

        redis.texts().zadd("jobs:permits:big", 0, "k\nme\n0:1:1:mail");
        process.pass(Duration.ofSeconds(59));
        upkeep.runOnce();
        assertThat(redis.texts().exists("jobs:permits:big")).isEqualTo(1);
        process.pass(Duration.ofSeconds(1));
        upkeep.runOnce();
        assertThat(redis.texts().exists("jobs:permits:big")).isZero();
    }

    /** Of a limit with thousands of permits only some are looked at in one run. */
    @Test
    void aWalkGoesOnInTheNextRun() {
        redis.texts().hset("jobs:limits", "d:big", "1");
        for (int i = 0; i < 2_150; i++) {
            redis.texts().zadd("jobs:permits:big", 0, "k" + i + "\nme\n0:1:1:mail");
        }
        assertThat(upkeep.runOnce()).isZero();
        assertThat(redis.texts().zcard("jobs:permits:big")).isEqualTo(150);
        assertThat(upkeep.runOnce()).isEqualTo(Duration.ofSeconds(5));
        assertThat(redis.texts().exists("jobs:permits:big")).isZero();
    }

    @Test
    void aKeyOfAnotherTypeIsNoOutageAndALostConnectionIsOne() {
        redis.texts().set("jobs:limits", "text");
        redis.texts().set("jobs:effects:lost", "text");
        upkeep.runOnce();
        assertThat(process.context.outage().error()).isNull();

        process.connection.close();
        process.pass(Duration.ofMinutes(1));
        upkeep.runOnce();
        assertThat(process.context.outage().error()).isNotNull();
        process.follow("another");
        upkeep.runOnce();
        assertThat(process.context.outage().error()).isNull();
    }
}
