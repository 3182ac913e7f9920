package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.JobPushes.Due;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks decide in the step that stores a payload: it is stored with what they write, or neither is. */
class ChecksIT {

    private static final String LIMITS = "limits";

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");

    @AfterEach
    void allowAll() {
        bed.drain();
        bed.redis
                .texts()
                .aclSetuser(
                        "default",
                        AclSetuserArgs.Builder.allCommands().resetKeys().allKeys());
    }

    /** Allows so many of a group. */
    private static Check limit(String key, String group, int most) {
        return new Check("limit", bytes(key), List.of(bytes(group), Bytes.of(most)));
    }

    private static List<Check> one(String group) {
        return List.of(limit(LIMITS, group, 1));
    }

    private PushAnswers push(List<String> payloads, List<List<Check>> checks) {
        return pushes.sendPush(
                        "mail", payloads.stream().map(ScriptTestBed::bytes).toList(), checks)
                .await();
    }

    private Object limits() {
        return bed.stored().get(LIMITS);
    }

    private static JobStoreException failure(Runnable push) {
        return catchThrowableOfType(JobStoreException.class, push::run);
    }

    /** Sends the script under a lane, number and mark, as a client does for the first time or again. */
    private static List<Object> call(int lane, String number, List<String> payloads, List<List<Check>> checks) {
        List<byte[]> keys = new ArrayList<>(List.of(bed.keys.pushes("me"), bed.keys.queues(), bed.keys.queue("mail")));
        List<byte[]> arguments = new ArrayList<>(
                List.of(Bytes.of(lane), Bytes.of(number), Bytes.of(60_000), bytes(""), Bytes.of("mail")));
        payloads.forEach(payload -> arguments.add(bytes(payload)));
        Check.append(checks, keys, arguments);
        List<Object> answer = bed.connection.callForOne(
                StoreScripts.PUSH,
                ScriptOutputType.MULTI,
                keys.toArray(byte[][]::new),
                arguments.toArray(byte[][]::new));
        return answer.stream()
                .map(each -> each instanceof Long ? each : Bytes.text(each))
                .toList();
    }

    @Test
    void leaveOutWhatTheyRefuseAndStoreTheOthersInOrder() {
        PushAnswers answers = push(List.of("a", "b", "c", "d"), List.of(one("x"), one("x"), List.of(), one("y")));

        assertThat(answers.refused()).isEqualTo(Map.of(1, "full:x"));
        assertThat(answers.isStored(1)).isFalse();
        assertThat(answers.isStored(2)).isTrue();
        assertThat(bed.queue("mail")).containsExactly("a", "c", "d");
        assertThat(limits()).isEqualTo(Map.of("x", "1", "y", "1"));
    }

    @Test
    void applyToScheduledJobsAsWell() {
        PushAnswers answers = pushes.sendSchedule(
                        List.of(new Due("5", bytes("a")), new Due("6", bytes("b")), new Due("7", bytes("c"))),
                        List.of(one("x"), one("x"), List.of()))
                .await();

        assertThat(answers.refused()).isEqualTo(Map.of(1, "full:x"));
        assertThat(bed.stored().get("schedule")).isEqualTo(Map.of("a", 5.0, "c", 7.0));
        assertThat(limits()).isEqualTo(Map.of("x", "1"));
    }

    @Test
    void mayAllRefuseAndThenChangeNothingButTheLane() {
        bed.redis.texts().hset(LIMITS, Map.of("x", "1"));

        assertThat(push(List.of("a", "b"), List.of(one("x"), one("x"))).refused())
                .hasSize(2);

        SortedMap<String, Object> stored = bed.stored();
        assertThat(stored).containsOnlyKeys("jobs:pushes:me", LIMITS);
        assertThat(stored.get(LIMITS)).isEqualTo(Map.of("x", "1"));
    }

    @Test
    void mustAllAcceptAPayloadThatCarriesSeveral() {
        List<Check> both = List.of(limit("a", "g", 9), limit("b", "g", 1));

        PushAnswers answers = push(List.of("a", "b"), List.of(both, both));

        assertThat(answers.refused()).isEqualTo(Map.of(1, "full:g"));
        assertThat(bed.stored().get("a"))
                .as("nothing is counted for a refused payload")
                .isEqualTo(Map.of("g", "1"));
    }

    @Test
    void giveTheSameAnswersToARepeatedCallWhateverHappenedMeanwhile() {
        List<List<Check>> checks = List.of(one("x"), one("x"), List.of());
        assertThat(call(3, "17:ab", List.of("a", "b", "c"), checks)).containsExactly(1L, " 1: 1:full:x 1:");
        bed.redis.texts().del(LIMITS);
        SortedMap<String, Object> after = bed.stored();

        assertThat(call(3, "17:ab", List.of("a", "b", "c"), checks)).containsExactly(0L, " 1: 1:full:x 1:");
        assertThat(bed.stored()).isEqualTo(after);

        assertThat(call(3, "18:ab", List.of("a", "b", "c"), checks)).containsExactly(1L, " 1: 1:full:x 1:");
    }

    @Test
    void giveTheSameAnswersIfTheReplyWasLost() {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port());
                RedisConnection connection =
                        bed.redis.connections("", proxy.port()).open("test")) {
            TestPushes mine = new TestPushes(connection, bed.keys, Duration.ofSeconds(20), "mine");
            mine.push("other", List.of(bytes("the connection is open from now on")));
            proxy.loseAnswers(1, () -> bed.redis.texts().del(LIMITS));

            PushAnswers answers = mine.sendPush("mail", List.of(bytes("a"), bytes("b")), List.of(one("x"), one("x")))
                    .await();

            assertThat(proxy.answersLeftToLose()).isZero();
            assertThat(answers.refused()).isEqualTo(Map.of(1, "full:x"));
        }
        assertThat(bed.queue("mail")).containsExactly("a");
    }

    @Test
    void areNotMadeForALateCopyOrAnotherClientsPush() {
        List<List<Check>> checks = List.of(one("x"), one("x"));
        call(3, "17:ab", List.of("a", "b"), checks);
        SortedMap<String, Object> after = bed.stored();

        assertThat(call(3, "17:a", List.of("c", "d"), checks)).containsExactly(-1L);
        assertThat(call(3, "17:abc", List.of("c", "d"), checks)).containsExactly(-1L);
        assertThat(call(3, "16:ab", List.of("c", "d"), checks)).containsExactly(-1L);
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void areMadeUnderAnotherIdIfThisProcessWasCloned() {
        TestPushes clone = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        push(List.of("a", "b"), List.of(one("x"), one("x")));

        PushAnswers answers = clone.sendPush("mail", List.of(bytes("c"), bytes("d")), List.of(one("x"), one("y")))
                .await();

        assertThat(answers.refused()).isEqualTo(Map.of(0, "full:x"));
        assertThat(bed.queue("mail")).containsExactly("a", "d");
        assertThat(bed.redis.texts().keys("jobs:pushes:*")).hasSize(2);
    }

    @Test
    void leaveFewBytesInTheLaneAndNoneIfTheyRefusedNothing() {
        List<String> thousand =
                IntStream.range(0, 1_000).mapToObj(i -> "job" + i).toList();

        push(thousand, Collections.nCopies(1_000, one("x")));
        assertThat(bed.redis.texts().hget("jobs:pushes:me", "0")).matches("1:[0-9a-f]+ 1: 999:full:x");

        push(List.of("a", "b"), List.of(one("y"), one("z")));
        assertThat(bed.redis.texts().hget("jobs:pushes:me", "0")).matches("2:[0-9a-f]+");
        assertThat(bed.queue("mail")).containsExactly("job0", "a", "b");
    }

    @Test
    void costCallsWithoutThemNoCommand() {
        pushes.push("mail", List.of(bytes("the script is known from now on")));
        pushes.schedule(List.of(new Due("5", bytes("this one, too"))));
        bed.redis.texts().configResetstat();
        push(List.of("a", "b", "c"), List.of(List.of(), List.of(), List.of()));
        pushes.schedule(List.of(new Due("5", bytes("d")), new Due("6", bytes("e"))));

        TreeSet<String> calls = new TreeSet<>();
        bed.redis
                .texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_") && !line.contains("config"))
                .filter(line -> !line.matches("cmdstat_(pexpire|sadd):.*")) // of a renewal, once a second
                .forEach(line -> calls.add(line.replaceAll("cmdstat_(\\w+):calls=(\\d+),.*", "$1 $2")));
        assertThat(calls).containsExactly("evalsha 2", "hget 2", "hset 2", "lpush 1", "zadd 1");
    }

    @Test
    void failTheCallBeforeAnythingIsWrittenIfAKeyHasAnotherType() {
        bed.redis.texts().set("broken", "text");
        SortedMap<String, Object> before = bed.stored();
        List<List<Check>> checks = List.of(one("x"), one("x"), List.of(limit("broken", "x", 1)));

        JobStoreException failure = failure(() -> push(List.of("a", "b", "c"), checks));

        assertThat(failure.kind()).isEqualTo(Kind.WRONG_TYPE);
        assertThat(failure).hasMessageEndingWith("the 3 jobs were not stored");
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void writeNothingIfTheQueueIsNoList() {
        bed.redis.texts().set("queue:mail", "text");
        SortedMap<String, Object> before = bed.stored();

        assertThat(failure(() -> push(List.of("a"), List.of(one("x")))).kind()).isEqualTo(Kind.WRONG_TYPE);
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void writeNothingIfRedisIsFull() {
        bed.redis.texts().hset(LIMITS, Map.of("x", "1"));
        SortedMap<String, Object> before = bed.stored();
        bed.fill();

        assertThat(failure(() -> push(List.of("a", "b"), List.of(one("x"), one("y"))))
                        .kind())
                .isEqualTo(Kind.FULL);
        assertThat(failure(() -> pushes.sendSchedule(List.of(new Due("5", bytes("a"))), List.of(one("y")))
                                .await())
                        .kind())
                .isEqualTo(Kind.FULL);
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void failTheCallBeforeAnythingIsWrittenIfAKeyMayNotBeUsed() {
        bed.redis
                .texts()
                .aclSetuser(
                        "default",
                        AclSetuserArgs.Builder.resetKeys().keyPattern("jobs:*").keyPattern("queue*"));

        assertThat(failure(() -> push(List.of("a", "b"), List.of(List.of(), one("x"))))
                        .kind())
                .isEqualTo(Kind.DENIED);
        allowAll();
        assertThat(bed.stored()).isEmpty();
    }

    /** A job without its lock is less bad than a lock without a job. */
    @Test
    void keepAPayloadWhoseCheckMayReadButNotWrite() {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.HINCRBY));

        PushAnswers answers = push(List.of("a"), List.of(one("x")));

        assertThat(answers.refused()).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(limits()).isNull();
    }

    @Test
    void areOfAKindThatScriptsKnow() {
        assertThatThrownBy(() -> new Check("toil", bytes("key"), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "'kind' must be one of [debounce, later, limit, lock, reject, replace] but was 'toil'");
    }
}
