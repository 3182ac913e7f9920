package dev.jobs.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.engine.OnCall.Load;
import dev.jobs.handover.OnCallRoster.Answer;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which capsules are on call. */
class OnCallRosterIT {

    private static final List<String> QUEUES = List.of("mail", "low");
    private static final Answer ALONE = new Answer(true, 0);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final RedisConnection connection = redis.connections("").open("calls");

    private final OnCallRoster calls = new OnCallRoster(connection, new RedisKeys(""));

    @AfterEach
    void enlarge() {
        redis.texts().configSet("maxmemory", "0");
    }

    private Answer ask(String who, Load load) {
        return calls.ask(QUEUES, who, load);
    }

    @Test
    void theFirstTwoAreOnCallAndTheOthersKnowHowManyTheyAre() {
        assertThat(ask("a", Load.FREE)).isEqualTo(ALONE);
        assertThat(ask("b", Load.FREE)).isEqualTo(ALONE);
        assertThat(ask("c", Load.FREE)).isEqualTo(new Answer(false, 1));
        assertThat(ask("d", Load.FREE)).isEqualTo(new Answer(false, 2));
        for (int i = 0; i < 3; i++) {
            assertThat(ask("a", Load.FREE)).isEqualTo(new Answer(true, 2));
            assertThat(ask("b", Load.FREE)).isEqualTo(new Answer(true, 2));
            assertThat(ask("d", Load.FREE)).isEqualTo(new Answer(false, 2));
            assertThat(ask("c", Load.FREE)).isEqualTo(new Answer(false, 2));
        }
    }

    @Test
    void eachSetOfQueuesHasItsOwn() {
        ask("a", Load.FREE);
        ask("b", Load.FREE);
        assertThat(calls.ask(List.of("mail"), "c", Load.FREE)).isEqualTo(ALONE);
        assertThat(calls.ask(List.of("low", "mail"), "d", Load.FREE).onCall())
                .as("the same queues in another order")
                .isFalse();
    }

    @Test
    void aBusyCapsuleIsRelievedByAnIdleOne() {
        ask("a", Load.FREE);
        ask("b", Load.FREE);
        ask("c", Load.FREE);
        assertThat(ask("a", Load.BUSY).onCall()).as("until another one comes").isTrue();
        assertThat(ask("c", Load.BUSY).onCall()).isFalse();

        assertThat(ask("c", Load.FREE)).isEqualTo(ALONE);

        assertThat(ask("a", Load.BUSY)).isEqualTo(new Answer(false, 1));
        assertThat(ask("b", Load.FREE).onCall()).isTrue();
    }

    @Test
    void aFullCapsuleGoesOffCallIfAnotherOneIsFree() {
        ask("a", Load.FREE);
        assertThat(ask("a", Load.FULL)).as("there is none").isEqualTo(ALONE);
        ask("b", Load.FREE);
        ask("c", Load.BUSY);

        assertThat(ask("a", Load.FULL)).isEqualTo(new Answer(false, 1));
        assertThat(ask("d", Load.FULL)).as("has no room either").isEqualTo(new Answer(false, 1));
        assertThat(ask("c", Load.BUSY)).isEqualTo(ALONE);
    }

    @Test
    void aCapsuleThatLeavesLeavesNothingBehind() {
        for (String each : List.of("a", "b", "c")) {
            ask(each, Load.FREE);
        }
        for (String each : List.of("a", "b", "c")) {
            assertThat(ask(each, Load.GONE).onCall()).isFalse();
        }
        assertThat(redis.texts().keys("*")).isEmpty();
    }

    @Test
    @LongTest
    void aSilentCapsuleIsNoLongerOnCall() {
        ask("a", Load.FREE);
        ask("b", Load.BUSY);
        assertThat(ask("c", Load.BUSY).onCall()).isFalse();

        await().atMost(Duration.ofSeconds(30)).until(() -> ask("c", Load.BUSY).onCall());
        await().atMost(Duration.ofSeconds(30)).until(() -> ask("d", Load.BUSY).onCall());
    }

    @Test
    void placesFromBeforeTheServersClockWentBackAreForgotten() {
        long inAnHour = System.currentTimeMillis() + 3_600_000;
        redis.texts().zadd("jobs:oncall:low\nmail", inAnHour, "gone");
        redis.texts().zadd("jobs:oncall:low\nmail", -inAnHour, "gone too");
        redis.texts().zadd("jobs:spare:low\nmail", inAnHour, "gone as well");
        assertThat(ask("a", Load.FREE)).isEqualTo(ALONE);
    }

    @Test
    void aFullRedisStillAnswers() {
        redis.texts().configSet("maxmemory", "1");
        assertThat(ask("a", Load.FREE)).isEqualTo(ALONE);
    }

    @Test
    void aKeyOfAnotherTypeIsLeftAlone() {
        redis.texts().set("jobs:oncall:low\nmail", "a string");
        assertThatThrownBy(() -> ask("a", Load.FREE)).isInstanceOf(JobStoreException.class);
        assertThat(redis.texts().get("jobs:oncall:low\nmail")).isEqualTo("a string");
    }

    @Test
    void oneOfManyLooksSeldomSoThatAllTogetherLookFiftyTimesASecond() {
        assertThat(new Answer(false, 50).turn()).isEqualTo(Duration.ofSeconds(1));
        assertThat(new Answer(false, 300).turn()).isEqualTo(Duration.ofSeconds(6));
        assertThat(new Answer(false, 300).next()).isEqualTo(Duration.ofSeconds(6));
        assertThat(new Answer(true, 300).next()).isEqualTo(Duration.ofSeconds(1));
        assertThat(new Answer(false, 10_000).turn()).isEqualTo(Duration.ofSeconds(10));
    }
}
