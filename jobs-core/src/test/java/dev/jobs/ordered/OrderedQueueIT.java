package dev.jobs.ordered;

import static dev.jobs.ordered.OrderedQueueBed.jid;
import static dev.jobs.ordered.OrderedQueueBed.jids;
import static dev.jobs.ordered.OrderedQueueBed.job;
import static dev.jobs.ordered.OrderedQueueBed.jobs;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.limits.QueueLimit;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes.Due;
import dev.jobs.store.JobPushes.Sent;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Scripts;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.TestPushes;
import dev.jobs.store.Worker;
import dev.jobs.testing.RedisFixture;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** In which order the jobs of ordered queues are taken. */
class OrderedQueueIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final OrderedQueueBed ordered = new OrderedQueueBed(redis);

    private final ScriptTestBed bed = ordered.bed;
    private final RedisKeys plain = ordered.plain;
    private final TestPushes pushes = ordered.pushes;
    private final JobQueues queues = ordered.queues;
    private final JobSets sets = ordered.sets;

    private void pushEach(String queue, byte[]... jobs) {
        for (byte[] job : jobs) {
            pushes.push(queue, List.of(job));
        }
    }

    @Test
    void keysTakeTurns() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 5));
        assertThat(jids(worker.take(2, "fair"))).containsExactly("a1", "a2");
        pushes.push("fair", jobs("b", 3));

        assertThat(jids(worker.take(100, "fair"))).containsExactly("a3", "a4", "b1", "a5", "b2", "b3");
        assertThat(redis.texts().smembers("queues")).containsExactly("fair");
        assertThat(redis.texts().keys("jobs:order:*")).isEmpty();
        assertThat(redis.texts().keys("jobs:tags:*")).isEmpty();
    }

    /** Sidekiq's page deletes a queue with its list and its name, and doesn't know what waits beside the list. */
    @Test
    void aQueueWhoseNameWasDeletedIsKnownAgainWhenItsJobsAreTaken() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 3));
        redis.texts().unlink("queue:fair");
        redis.texts().srem("queues", "fair");

        assertThat(jids(worker.take(1, "fair"))).containsExactly("a1");

        assertThat(queues.sizes(queues.names())).isEqualTo(Map.of("fair", 2L));
    }

    @Test
    void aTenantWithThousandsOfJobsDoesNotHoldUpAnother() {
        Worker worker = bed.worker("w").join();
        for (int i = 0; i < 20; i++) {
            int from = 1_000 * i;
            pushes.push(
                    "fair",
                    IntStream.range(from, from + 1_000)
                            .mapToObj(n -> job("a" + n, "a", 0))
                            .toList());
        }
        worker.take(10, "fair");
        pushes.push("fair", jobs("b", 10));

        List<String> next = jids(worker.take(30, "fair"));
        assertThat(next.subList(0, 22))
                .containsAll(jobs("b", 10).stream().map(OrderedQueueBed::jid).toList());
    }

    @Test
    void aKeyWithAWeightGetsMoreTurns() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("small", 20));
        pushes.push("fair", jobs("big", 60));

        List<String> first = jids(worker.take(40, "fair"));
        assertThat(first.stream().filter(jid -> jid.startsWith("big")).count()).isBetween(29L, 31L);
        assertThat(first.stream().filter(jid -> jid.startsWith("big")).toList())
                .startsWith("big1", "big2", "big3", "big4");
    }

    @Test
    void jobsOfOneTurnAreTakenInTheOrderOfTheirPushes() {
        Worker worker = bed.worker("w").join();
        List<String> expected = new ArrayList<>();
        for (int i = 300; i > 0; i--) { // in another order than that of their bytes
            pushes.push("fair", List.of(job("k" + i, "k" + i, 0)));
            expected.add("k" + i);
        }
        assertThat(jids(worker.take(200, "fair"))).isEqualTo(expected.subList(0, 200));
    }

    @Test
    void noKeyWaitsForEverWhileOthersComeAnew() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 3));
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pushEach("fair", job("n" + i, "n" + i, 0), job("m" + i, "m" + i, 0));
            taken.addAll(jids(worker.take(1, "fair")));
        }
        assertThat(taken).contains("a1", "a2", "a3");
    }

    @Test
    void keysThatComeAndGoLeaveNothing() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", List.of(job("first", "first", 0)));
        long most = 0;
        for (int round = 0; round < 20; round++) {
            int from = 1_000 * round;
            pushes.push(
                    "fair",
                    IntStream.range(from, from + 1_000)
                            .mapToObj(n -> job("j" + n, "k" + n, 0))
                            .toList());
            for (int i = 0; i < 5; i++) {
                assertThat(worker.take(200, "fair")).hasSize(200);
            }
            most = Math.max(most, redis.texts().zcard("jobs:tags:fair"));
        }
        assertThat(most).isLessThan(3_000);
        assertThat(worker.take(200, "fair")).hasSize(1);
        assertThat(redis.texts().keys("jobs:*:fair")).isEmpty();
    }

    @Test
    void priorityIsAHeadStartAndNoWall() {
        Worker worker = bed.worker("w").join();
        pushEach("mail", job("p0", "", 0), job("late", "", -2), job("p3", "", 3), job("p1", "", 1), job("q1", "", 1));
        assertThat(jids(worker.take(10, "mail"))).containsExactly("p3", "p1", "q1", "p0", "late");

        pushEach("mail", job("old", "", 0));
        double minute = 60_000_000;
        redis.texts()
                .zadd(
                        "jobs:order:mail",
                        redis.texts().zscore("jobs:order:mail", new String(job("old"), UTF_8)) - 4 * minute,
                        new String(job("old"), UTF_8));
        pushEach("mail", job("urgent", "", 3));
        assertThat(jids(worker.take(10, "mail"))).containsExactly("old", "urgent");
        worker.take(1, "mail");
        assertThat(redis.texts().keys("jobs:tags:*")).isEmpty();
    }

    @Test
    void jobsOfOnePriorityKeepTheirOrderWithinACallAndBetweenCalls() {
        Worker worker = bed.worker("w").join();
        List<String> expected = new ArrayList<>();
        for (int call = 0; call < 5; call++) {
            List<byte[]> slice = new ArrayList<>();
            for (int i = 40; i > 0; i--) {
                slice.add(job("c" + call + "-" + i));
                expected.add("c" + call + "-" + i);
            }
            pushes.push("mail", slice);
        }
        assertThat(jids(worker.take(200, "mail"))).isEqualTo(expected);
    }

    @Test
    void jobsOfOnePriorityKeepTheirOrderThoughTheClockIsSetBack() {
        Worker worker = bed.worker("w").join();
        pushEach("mail", job("first", "", 0));
        double hour = 3_600_000_000.0;
        redis.texts().zincrby("jobs:order:mail", hour, new String(job("first"), UTF_8)); // as if that had been later
        redis.texts().zincrby("jobs:tags:mail", -hour, "#");

        pushEach("mail", job("second", "", 0), job("urgent", "", 1));

        assertThat(jids(worker.take(10, "mail"))).containsExactly("urgent", "first", "second");
    }

    @Test
    void aRepeatedPushStoresNothingTwice() {
        Sent sent = pushes.sendPush("fair", jobs("a", 2), List.of());
        sent.await();
        long tag = redis.texts().zscore("jobs:tags:fair", "=a").longValue();
        byte[][] keys = {bed.keys.pushes("me"), bed.keys.queues(), bed.keys.order("fair"), Bytes.of("jobs:tags:fair")};
        byte[][] call = {
            Bytes.of("0"),
            Bytes.of("7:x"),
            Bytes.of("60000"),
            Bytes.of(""),
            Bytes.of("fair"),
            Bytes.of("F1000 a"),
            job("a3", "a", 0)
        };
        assertThat(bed.connection.call(Scripts.script("push_sorted"), keys, call))
                .containsExactly(1L);
        assertThat(bed.connection.call(Scripts.script("push_sorted"), keys, call))
                .containsExactly(0L);

        assertThat(ordered.inSet("fair")).containsExactly("a1", "a2", "a3");
        assertThat(redis.texts().zscore("jobs:tags:fair", "=a")).isEqualTo(tag + 1_000.0);
    }

    @Test
    void aRepeatedClaimReturnsTheSameJobs() {
        Worker worker = bed.worker("w").join();
        ordered.pushes(plain).push("fair", List.of(job("listed")));
        pushes.push("fair", jobs("a", 4));
        List<Claimed> first = worker.take(3, "fair");
        JobClaims.Reply again = worker.repeat(worker.last());

        assertThat(again.status()).isEqualTo(JobClaims.Status.REPLAY);
        assertThat(jids(again.claimed())).isEqualTo(jids(first)).containsExactly("listed", "a1", "a2");
        assertThat(again.claimed().stream().map(Claimed::token).toList())
                .isEqualTo(first.stream().map(Claimed::token).toList());
        assertThat(ordered.inSet("fair")).containsExactly("a3", "a4");
        assertThat(bed.books().claimed()).isEqualTo(3);
        assertThat(bed.books().inFlight()).isEqualTo(3);
    }

    @Test
    void largeJobsAreTakenInSeveralCalls() {
        Worker worker = bed.worker("w").join();
        String big = "x".repeat(600_000);
        for (int i = 0; i < 4; i++) {
            pushes.push(
                    "mail",
                    List.of(Payload.parse(job("b" + i)).with("text", big).bytes()));
        }
        assertThat(jids(worker.take(10, "mail"))).containsExactly("b0", "b1");
        assertThat(jids(worker.take(10, "mail"))).containsExactly("b2", "b3");
    }

    @Test
    void whatIsHandedBackOrRecoveredIsTakenFirst() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 5));
        List<Claimed> taken = worker.take(2, "fair");
        worker.settle(Settlement.handedBack(taken.get(1).token(), "fair", false));
        assertThat(ordered.inList("fair")).containsExactly("a2");
        assertThat(jids(worker.take(2, "fair"))).containsExactly("a2", "a3");

        Worker other = bed.worker("o").join();
        bed.redis.texts().zadd("jobs:beats", -1, "w");
        assertThat(other.leases.reap("w").recovered()).isEqualTo(3);
        assertThat(jids(other.take(10, "fair")))
                .containsExactlyInAnyOrder("a1", "a2", "a3", "a4", "a5")
                .endsWith("a4", "a5");
    }

    @Test
    void aJobThatInterruptsItselfTakesItsTurn() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 2));
        pushes.push("fair", jobs("b", 2));
        Claimed one = worker.takeOne("fair");
        worker.settle(Settlement.interrupted(one.token(), "fair", one.payload()));

        assertThat(ordered.inList("fair")).isEmpty();
        assertThat(jids(worker.take(10, "fair"))).containsExactly("a2", "b1", "b2", "a1");
    }

    @Test
    void aQueueWithALimitGivesWhatItHasRoomFor() {
        Worker worker = bed.worker("w").join();
        worker.limits.add(new QueueLimit("fair", 3));
        ordered.pushes(plain).push("fair", List.of(job("listed")));
        pushes.push("fair", jobs("a", 5));
        pushes.push("mail", List.of(job("m1")));

        List<Claimed> taken = worker.take(10, "fair", "mail");
        assertThat(jids(taken)).containsExactly("listed", "a1", "a2", "m1");
        assertThat(redis.texts().zcard("jobs:permits:queue:fair")).isEqualTo(3);
        assertThat(worker.take(10, "fair")).isEmpty();
        assertThat(ordered.inSet("fair")).containsExactly("a3", "a4", "a5");
    }

    @Test
    void pausedQueuesAreLeftAlone() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 1));
        queues.pause("fair");
        assertThat(worker.take(1, "fair")).isEmpty();
        queues.resume("fair");
        assertThat(worker.take(1, "fair")).hasSize(1);
    }

    @Test
    void aSuspectWaitsWhileOthersPassIt() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 3));
        redis.texts().hset("jobs:recovered", ScriptTestBed.sha1(new String(job("a1", "a", 0), UTF_8)), "2");
        JobClaims.Reply reply = worker.exchange(0, 10, 0, List.of("fair"), List.of());
        assertThat(jids(reply.claimed())).containsExactly("a2", "a3");
        reply = worker.exchange(0, 10, 1, List.of("fair"), List.of());
        assertThat(jids(reply.claimed())).containsExactly("a1");
        assertThat(reply.claimed().get(0).recoveries()).isEqualTo(2);
    }

    @Test
    void dueAndRevivedJobsAreScored() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 3));
        byte[] due = job("b1", "b", 0);
        pushes.schedule(List.of(new Due("1", due)));
        assertThat(sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(due, "fair", due))))
                .containsExactly(1);
        redis.bytes().zadd(bed.keys.dead(), 1, job("c1", "c", 0));
        assertThat(sets.move(StoredSet.DEAD, List.of(sets.toQueue(job("c1", "c", 0), "fair", job("c1", "c", 0)))))
                .containsExactly(1);
        assertThat(sets.move(StoredSet.DEAD, List.of(sets.toQueue(job("gone"), "fair", job("gone")))))
                .containsExactly(0);

        assertThat(ordered.inList("fair")).isEmpty();
        assertThat(jids(worker.take(10, "fair"))).containsExactly("a1", "a2", "b1", "c1", "a3");
    }

    @Test
    void aSliceOfAnOutboxIsScored() {
        OutboxPushes outbox = new OutboxPushes(bed.connection, bed.keys, Duration.ofSeconds(5));
        List<Relayed> slice = List.of(
                new Relayed("other", null, job("o1")),
                new Relayed("fair", null, job("a1", "a", 0)),
                new Relayed("fair", null, job("a2", "a", 0)),
                new Relayed("mail", null, job("m1")),
                new Relayed("fair", "1900000000", job("later")),
                new Relayed("fair", null, job("b1", "b", 0)));
        assertThat(outbox.store("s:0", 1, slice)).isTrue();
        assertThat(outbox.store("s:0", 1, slice)).isFalse();

        assertThat(ordered.inSet("fair")).containsExactly("a1", "b1", "a2");
        assertThat(ordered.inSet("mail")).containsExactly("m1");
        assertThat(ordered.inList("other")).containsExactly("o1");
        assertThat(redis.texts().zcard("schedule")).isEqualTo(1);
        assertThat(redis.texts().smembers("queues")).containsExactlyInAnyOrder("fair", "mail", "other");
    }

    @Test
    void aFullRedisRefusesPushesAndLetsJobsOut() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", jobs("a", 1));
        bed.fill();
        try {
            assertThatThrownBy(() -> pushes.push("fair", jobs("b", 1))).isInstanceOf(JobStoreException.class);
            assertThatThrownBy(() -> pushes.push("mail", jobs("b", 1))).isInstanceOf(JobStoreException.class);
            assertThat(jids(worker.take(1, "fair"))).containsExactly("a1");
        } finally {
            bed.drain();
        }
        assertThat(ordered.inSet("fair")).isEmpty();
    }

    /** Other queues before it have filled the call, or its limit is full. */
    @Test
    void aKeyOfAnotherTypeIsToldThoughNothingIsWantedOfIt() {
        Worker worker = bed.worker("w").join();
        redis.texts().set("jobs:order:fair", "text");
        ordered.pushes(plain).push("mail", jobs("a", 3));

        JobClaims.Reply full = worker.exchange(0, 1, 1, List.of("mail", "fair"), List.of());
        worker.limits.add(new QueueLimit("fair", 0));
        JobClaims.Reply limited = worker.exchange(1, 1, 1, List.of("fair", "mail"), List.of());

        assertThat(jids(full.claimed())).containsExactly("a1");
        assertThat(full.brokenQueues()).containsExactly("fair");
        assertThat(jids(limited.claimed())).containsExactly("a2");
        assertThat(limited.brokenQueues()).containsExactly("fair");
    }

    @Test
    void keysOfAnotherTypeAreToldAndLoseNothing() {
        Worker worker = bed.worker("w").join();
        redis.texts().set("jobs:order:fair", "text");
        ordered.pushes(plain).push("fair", jobs("a", 1));
        assertThatThrownBy(() -> pushes.push("fair", jobs("b", 1))).isInstanceOf(JobStoreException.class);
        assertThat(queues.isBroken("fair")).isTrue();
        assertThat(queues.states(List.of("fair")).get(0).broken()).isTrue();
        assertThat(queues.measure(List.of("none", "fair")).broken()).containsExactly("fair");
        assertThat(queues.sizes(List.of("fair"))).isEqualTo(Map.of("fair", 0L));
        JobClaims.Reply reply = worker.exchange(0, 10, 1, List.of("fair", "mail"), List.of());
        assertThat(jids(reply.claimed())).containsExactly("a1");
        assertThat(reply.brokenQueues()).containsExactly("fair");

        Claimed held = reply.claimed().get(0);
        assertThat(worker.settle(Settlement.interrupted(held.token(), "fair", held.payload()))
                        .moves())
                .containsExactly(-1);
        byte[] due = job("due");
        pushes.schedule(List.of(new Due("1", due)));
        assertThat(sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(due, "fair", due))))
                .containsExactly(-1);
        redis.texts().del("jobs:order:fair");
        assertThat(worker.settle(Settlement.interrupted(held.token(), "fair", held.payload()))
                        .moves())
                .containsExactly(1);
        assertThat(ordered.inSet("fair")).containsExactly("a1");
    }

    @Test
    void jobsThatCannotBeReadAreStored() {
        Worker worker = bed.worker("w").join();
        pushes.push("fair", List.of(Bytes.of("no json"), Bytes.of("{\"order_key\":5,\"priority\":\"x\"}")));
        pushes.push("mail", List.of(Bytes.of("no json"), Bytes.of("{\"order_key\":5,\"priority\":1e9}")));
        assertThat(worker.take(10, "fair", "mail")).hasSize(4);
    }
}
