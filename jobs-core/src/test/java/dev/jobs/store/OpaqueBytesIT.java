package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.InFlightJobs;
import dev.jobs.lists.JobSets;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes.Due;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads are arbitrary bytes and come back unchanged; queue names may be strange. */
class OpaqueBytesIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    static Stream<String> payloads() {
        Random random = new Random(7);
        Stream<String> randoms = Stream.generate(() -> {
                    byte[] bytes = new byte[random.nextInt(300)];
                    random.nextBytes(bytes);
                    return ScriptTestBed.text(bytes);
                })
                .limit(20);
        return Stream.concat(
                Stream.of(
                        "",
                        "\n",
                        "\n\n",
                        "\u0000",
                        "\u0000\n\u0000",
                        "\r\n",
                        "mail\n",
                        "mail\nmail\n",
                        "\u00ff\u00fe",
                        "\u00c3",
                        "%",
                        "%d %s",
                        "{}",
                        "0",
                        "-1",
                        "1e400",
                        "#0",
                        "0:1:1",
                        " ",
                        "now+5",
                        "{\"a\":\"\u00ed\u00a0\u0080\"}"),
                randoms);
    }

    private static void isAlone(List<byte[]> found, byte[] expected) {
        assertThat(found).hasSize(1);
        assertThat(found.get(0)).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void comeBackAsTheyWereThroughEveryHand(String payload) {
        byte[] raw = bytes(payload);
        byte[] queue = bed.keys.queue("mail");
        TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        JobSets sets = bed.sets();

        pushes.schedule(List.of(new Due("5", raw)));
        assertThat(sets.due(10).scheduled()).singleElement().satisfies(entry -> {
            assertThat(entry.payload()).isEqualTo(raw);
            assertThat(entry.score()).isEqualTo(5);
        });
        assertThat(sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(raw, "mail", raw))))
                .containsExactly(1);
        assertThat(sets.moveFromQueue("mail", List.of(sets.toDead(raw, raw)))).containsExactly(1);
        assertThat(sets.move(StoredSet.DEAD, List.of(sets.toSet(raw, StoredSet.RETRY, Duration.ZERO, raw))))
                .containsExactly(1);
        assertThat(sets.move(StoredSet.RETRY, List.of(sets.toQueue(raw, "mail", raw))))
                .containsExactly(1);
        isAlone(bed.redis.bytes().lrange(queue, 0, -1), raw);

        Claimed claimed = worker.takeOne("mail");
        assertThat(claimed.payload()).isEqualTo(raw);
        assertThat(claimed.queue()).isEqualTo("mail");
        assertThat(worker.repeat(worker.last()).claimed()).singleElement().satisfies(again -> {
            assertThat(again.payload()).isEqualTo(raw);
            assertThat(again.queue()).isEqualTo("mail");
        });
        InFlightJobs inFlight = worker.claims.over(InFlightJobs::new);
        assertThat(inFlight.find("one", inFlight.tokens("one"))).singleElement().satisfies(held -> {
            assertThat(held.payload()).isEqualTo(raw);
            assertThat(held.queue()).isEqualTo("mail");
        });
        worker.settle(Settlement.handedBack(claimed.token(), "mail", true));
        isAlone(bed.redis.bytes().lrange(queue, 0, -1), raw);

        worker.settle(Settlement.retried(worker.takeOne("mail").token(), Duration.ZERO, raw));
        isAlone(bed.redis.bytes().zrange(bed.keys.retry(), 0, -1), raw);
        sets.move(StoredSet.RETRY, List.of(sets.toQueue(raw, "mail", raw)));
        worker.settle(Settlement.dead(worker.takeOne("mail").token(), raw, true));
        isAlone(bed.redis.bytes().zrange(bed.keys.dead(), 0, -1), raw);
        sets.move(StoredSet.DEAD, List.of(sets.toQueue(raw, "mail", raw)));
        worker.settle(Settlement.interrupted(worker.takeOne("mail").token(), "mail", raw));

        for (int life = 1; life <= 3; life++) {
            Worker mortal = bed.worker("mortal" + life).join();
            assertThat(mortal.takeOne("mail").payload()).isEqualTo(raw);
            bed.redis.texts().zadd("jobs:beats", -1, mortal.id);
            assertThat(bed.leases().reap(mortal.id).finished()).isTrue();
        }
        isAlone(bed.redis.bytes().zrange(bed.keys.dead(), 0, -1), raw);
        assertThat(bed.redis.bytes().exists(queue, bed.keys.retry(), bed.keys.schedule()))
                .isZero();
        assertThat(bed.books().conservationError()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b",
                "Ünïcödé",
                "日本",
                "a:b",
                "a,b",
                "%s",
                "\t",
                "'\"",
                "\\",
                "*",
                "?",
                "[x]",
                "{x}",
                "jobs:in:x",
                " ",
                "-1",
                "0",
                "\u0000x",
                "😀"
            })
    void areServedFromQueuesOfAnyName(String queue) {
        TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        pushes.push(queue, List.of(bytes("a"), bytes("b"), bytes("c")));
        assertThat(bed.redis.texts().smembers("queues")).containsExactly(queue);

        List<Claimed> claimed = worker.take(3, "other", queue);
        assertThat(Worker.payloads(claimed)).containsExactly("a", "b", "c");
        assertThat(claimed).extracting(Claimed::queue).containsOnly(queue);
        worker.settle(
                Settlement.handedBack(claimed.get(2).token(), queue, false),
                Settlement.interrupted(claimed.get(0).token(), queue, bytes("a2")));
        bed.redis.texts().zadd("jobs:beats", -1, "one");
        assertThat(bed.leases().reap("one").recovered()).isEqualTo(1);

        assertThat(bed.redis.texts().lrange("queue:" + queue, 0, -1)).containsExactly("a2", "c", "b");
        assertThat(bed.books().conservationError()).isZero();
        Worker next = bed.worker("two").join();
        bed.redis.texts().sadd("paused", queue);
        assertThat(next.take(3, queue)).isEmpty();
        bed.redis.texts().del("paused");
        assertThat(next.take(3, queue)).hasSize(3);
    }
}
