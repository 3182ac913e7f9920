package dev.jobs.ordered;

import static dev.jobs.ordered.OrderedQueueBed.jid;
import static dev.jobs.ordered.OrderedQueueBed.jids;
import static dev.jobs.ordered.OrderedQueueBed.job;
import static dev.jobs.ordered.OrderedQueueBed.jobs;
import static dev.jobs.ordered.OrderedQueueBed.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.TestPushes;
import dev.jobs.store.Worker;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.JobTrash;
import dev.jobs.trash.JobTrash.Fate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs of an ordered queue wait in its sorted set, or in its list: what reads and moves them finds both. */
class OrderedQueuePlacesIT {

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

    @Test
    void readersSeeBothPlaces() {
        ordered.pushes(plain).push("fair", List.of(job("l1"), job("l2")));
        pushes.push("fair", jobs("a", 4));

        assertThat(queues.size("fair")).isEqualTo(6);
        assertThat(queues.sizes(List.of("fair", "none"))).isEqualTo(Map.of("fair", 6L, "none", 0L));
        List<JobQueues.State> states = queues.states(List.of("none", "fair", "mail"));
        assertThat(states.stream().map(JobQueues.State::size).toList()).containsExactly(0L, 6L, 0L);
        assertThat(jid(states.get(1).next())).isEqualTo("l1");
        assertThat(read(queues.oldest("fair", 0, 10))).containsExactly("l1", "l2", "a1", "a2", "a3", "a4");
        assertThat(read(queues.oldest("fair", 1, 3))).containsExactly("l2", "a1", "a2");
        assertThat(read(queues.oldest("fair", 4, 3))).containsExactly("a3", "a4");
        assertThat(read(queues.newest("fair", 0, 3))).containsExactly("a4", "a3", "a2");
        assertThat(read(queues.newest("fair", 3, 3))).containsExactly("a1", "l2", "l1");
        assertThat(read(queues.newest("fair", 5, 3))).containsExactly("l1");
        assertThat(read(queues.someOldest("fair", 1, 10).items())).containsExactly("l2");
        assertThat(read(queues.someOldest("fair", 3, 2).items())).containsExactly("a2", "a3");

        redis.bytes().del(bed.keys.queue("fair"));
        assertThat(jid(queues.states(List.of("fair")).get(0).next())).isEqualTo("a1");
        assertThat(queues.inOrder(List.of("fair"))).isEqualTo(Map.of("fair", 4L));
    }

    @Test
    void jobsAreDeletedAndClearedInBothPlaces() {
        ordered.pushes(plain).push("fair", List.of(job("l1"), job("l2")));
        pushes.push("fair", jobs("a", 3));
        assertThat(queues.delete("fair", job("a2", "a", 0))).isTrue();
        assertThat(queues.delete("fair", job("a2", "a", 0))).isFalse();
        assertThat(queues.delete("fair", job("l2"))).isTrue();
        assertThat(sets.moveFromQueue("fair", List.of(sets.delete(job("l1")), sets.delete(job("a1", "a", 0)))))
                .containsExactly(1, 1);
        assertThat(bed.clearing(EffectSource.NONE).forget("fair")).isFalse();

        assertThat(bed.clearing(EffectSource.NONE).clear("fair")).isEqualTo(1);
        assertThat(redis.texts().keys("jobs:order:*")).isEmpty();
        assertThat(queues.names()).isEmpty();
        assertThat(bed.clearing(EffectSource.NONE).forget("fair")).isTrue();
    }

    /** As a dashboard whose application doesn't enqueue to the queue. */
    @Test
    void aProcessThatDoesNotKnowTheOrderShowsAndChangesBothPlaces() {
        JobQueues queues = new JobQueues(bed.connection, plain);
        JobSets sets =
                new JobSets(bed.connection, plain, new DeadSetBounds(100, Duration.ofDays(1)), EffectSource.NONE);
        ClearedQueues clearing = new ClearedQueues(bed.connection, plain, sets, new Random(1));
        JobTrash trash = new JobTrash(bed.connection, plain, JobTrash.Bounds.standard(), EffectSource.NONE);
        ordered.pushes(plain).push("fair", List.of(job("l1"), job("l2")));
        pushes.push("fair", jobs("a", 6));

        assertThat(queues.size("fair")).isEqualTo(8);
        assertThat(queues.sizes(List.of("fair"))).isEqualTo(Map.of("fair", 8L));
        assertThat(queues.states(List.of("fair")).get(0).size()).isEqualTo(8);
        assertThat(read(queues.oldest("fair", 1, 3))).containsExactly("l2", "a1", "a2");
        assertThat(read(queues.newest("fair", 5, 3))).containsExactly("a1", "l2", "l1");
        assertThat(read(queues.someOldest("fair", 3, 2).items())).containsExactly("a2", "a3");
        assertThat(new OrderedQueuesAdmin(bed.connection, plain, queues)
                        .jobs("fair")
                        .waiting())
                .isEqualTo(6);
        assertThat(clearing.forget("fair")).isFalse();

        assertThat(queues.delete("fair", job("a1", "a", 0))).isTrue();
        assertThat(sets.moveFromQueue("fair", List.of(sets.delete(job("a2", "a", 0)), sets.delete(job("l1")))))
                .containsExactly(1, 1);
        assertThat(trash.add("fair", List.of(job("a3", "a", 0)), List.of(new byte[0]), "1", true)
                        .fates())
                .containsExactly(Fate.KEPT);
        assertThat(clearing.clear("fair")).isEqualTo(4);
        assertThat(redis.texts().keys("jobs:*:fair")).isEmpty();
        assertThat(redis.texts().keys("queue*")).isEmpty();
    }

    /** Between two steps the pages would not list a queue that still has jobs. */
    @Test
    void bothPlacesAreClearedInOneStep() {
        for (EffectSource effects : List.of(EffectSource.NONE, stored -> List.of(ScriptTestBed.count("ended")))) {
            ordered.pushes(plain).push("fair", List.of(job("l1"), job("l2")));
            pushes.push("fair", jobs("a", 3));
            bed.clearing(effects).takeAway("empty"); // loads the script
            redis.texts().configResetstat();

            assertThat(bed.clearing(effects).takeAway("fair")).isEqualTo(5);

            assertThat(redis.texts().info("commandstats")).contains("cmdstat_evalsha:calls=1,");
            assertThat(redis.texts().keys("*"))
                    .as("also no tags")
                    .allMatch(key -> key.startsWith("jobs:cleared") || key.startsWith("jobs:push"));
        }
        assertThat(redis.texts().keys("jobs:cleared:*")).hasSize(2).satisfiesOnlyOnce(key -> assertThat(key)
                .startsWith("jobs:cleared:order:"));
    }

    @Test
    void forgettingRepairsABrokenPlaceAndKeepsTheJobsOfTheOther() {
        ClearedQueues clearing = bed.clearing(EffectSource.NONE);
        redis.texts().set("jobs:order:fair", "text");
        redis.texts().sadd("queues", "fair");
        assertThat(clearing.forget("fair")).isTrue();
        assertThat(redis.texts().keys("*")).isEmpty();

        redis.texts().set("jobs:order:fair", "text");
        ordered.pushes(plain).push("fair", List.of(job("l1")));
        assertThat(clearing.forget("fair")).as("is repaired").isTrue();
        assertThat(queues.isBroken("fair")).isFalse();
        pushes.push("fair", jobs("a", 2));
        assertThat(clearing.forget("fair")).as("there is nothing to repair").isFalse();
        assertThat(ordered.inList("fair")).containsExactly("l1");
        assertThat(ordered.inSet("fair")).containsExactly("a1", "a2");

        redis.texts().del("queue:fair");
        assertThat(clearing.forget("fair")).as("jobs in the set alone").isFalse();
        redis.texts().set("queue:fair", "text");
        assertThat(clearing.forget("fair")).isTrue();
        assertThat(redis.texts().exists("queue:fair")).isZero();
        assertThat(ordered.inSet("fair")).containsExactly("a1", "a2");
        assertThat(redis.texts().exists("jobs:tags:fair")).isEqualTo(1);
        assertThat(queues.names()).containsExactly("fair");
    }

    /** What can't be put aside stays where it is, in both places, and the queue is still listed. */
    @Test
    void neitherPlaceIsClearedIfOneCantBePutAside() {
        ordered.pushes(plain).push("fair", List.of(job("l1")));
        pushes.push("fair", jobs("a", 2));
        redis.texts().set("jobs:cleared", "text");
        EffectSource counted = stored -> List.of(ScriptTestBed.count("ended"));

        assertThatThrownBy(() -> bed.clearing(counted).clear("fair")).isInstanceOf(JobStoreException.class);

        assertThat(ordered.inList("fair")).containsExactly("l1");
        assertThat(ordered.inSet("fair")).containsExactly("a1", "a2");
        assertThat(queues.names()).containsExactly("fair");
    }

    @Test
    void clearedJobsEndWithTheirEffects() {
        ordered.pushes(plain).push("fair", List.of(job("l1"), job("l2")));
        pushes.push("fair", jobs("a", 3));
        EffectSource counted = stored -> List.of(ScriptTestBed.count("ended"));

        assertThat(bed.clearing(counted).clear("fair")).isEqualTo(5);
        assertThat(bed.happened()).isEqualTo(Map.of("ended", "5"));
        assertThat(redis.texts().keys("jobs:cleared*")).isEmpty();
        assertThat(queues.size("fair")).isZero();
    }

    /** Calls of a script that is loaded. */
    private static long calls() {
        return redis.texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*=(\\d+),.*", "$1")))
                .sum();
    }

    /** Not each alone: a call for those of the list, and one for those of the sorted set. */
    @Test
    void aHundredJobsAreMovedAndDeletedTogether() {
        List<byte[]> all = new ArrayList<>(List.of(job("l1"), job("gone")));
        all.addAll(jobs("a", 98));
        List<byte[]> none = Collections.nCopies(100, new byte[0]);
        JobTrash trash = ordered.trash();
        trash.add("mail", List.of(job("none")), List.of(new byte[0]), "b", true);
        sets.moveFromQueue("mail", List.of(sets.delete(job("none"))));
        ordered.pushes(plain).push("fair", List.of(job("l1")));
        pushes.push("fair", jobs("a", 98));
        redis.texts().configResetstat();

        List<Fate> fates = trash.add("fair", all, none, "b", true).fates();
        assertThat(calls()).isEqualTo(2);
        assertThat(fates).hasSize(100).containsOnlyOnce(Fate.GONE).startsWith(Fate.KEPT, Fate.GONE, Fate.KEPT);
        assertThat(trash.newest(Instant.now(), 0, 200).items())
                .hasSize(99)
                .extracting(JobTrash.Trashed::ordered)
                .containsOnlyOnce(false);

        ordered.pushes(plain).push("fair", List.of(job("l1")));
        pushes.push("fair", jobs("a", 98));
        redis.texts().configResetstat();
        List<Integer> moved = sets.moveFromQueue(
                "fair",
                all.stream().map(each -> sets.toQueue(each, "mail", each)).toList());

        assertThat(calls()).isEqualTo(2);
        assertThat(moved).hasSize(100).containsOnlyOnce(0).startsWith(1, 0, 1);
        assertThat(queues.size("fair")).isZero();
        assertThat(ordered.inSet("mail")).hasSize(99);
    }

    @Test
    void jobsComeBackFromTheTrashToTheirPlace() {
        Worker worker = bed.worker("w").join();
        JobTrash trash = ordered.trash();
        ordered.pushes(plain).push("fair", List.of(job("l1")));
        pushes.push("fair", jobs("a", 4));
        byte[] none = {};
        assertThat(trash.add(
                                "fair",
                                List.of(job("l1"), job("a3", "a", 0), job("a1", "a", 0), job("gone")),
                                List.of(none, none, none, none),
                                "b",
                                false)
                        .fates())
                .containsExactly(Fate.KEPT, Fate.KEPT, Fate.KEPT, Fate.GONE);
        assertThat(ordered.inList("fair")).isEmpty();
        assertThat(ordered.inSet("fair")).containsExactly("a2", "a4");
        assertThat(worker.take(1, "fair")).hasSize(1);

        for (JobTrash.Trashed each : trash.newest(Instant.now(), 0, 10).items()) {
            assertThat(trash.restore(List.of(each))).containsExactly(1);
        }
        assertThat(ordered.inList("fair")).containsExactly("l1");
        assertThat(ordered.inSet("fair"))
                .containsExactlyInAnyOrder("a1", "a3", "a4")
                .endsWith("a4");
        assertThat(redis.texts().zscore("jobs:order:fair", new String(job("a1", "a", 0), UTF_8)))
                .as("not before a job that was pushed later, and waits longer")
                .isGreaterThanOrEqualTo(redis.texts()
                        .zrangeWithScores("jobs:order:fair", 0, 0)
                        .get(0)
                        .getScore());
    }

    @Test
    void whatIsInTheTrashGoesToTheListOnceTheQueueIsNoLongerKnownAsOrdered() {
        pushes.push("fair", jobs("a", 1));
        ordered.trash().add("fair", jobs("a", 1), List.of(new byte[0]), "b", false);
        JobTrash other = new JobTrash(bed.connection, plain, JobTrash.Bounds.standard(), EffectSource.NONE);
        assertThat(other.restore(other.newest(Instant.now(), 0, 10).items())).containsExactly(1);
        assertThat(ordered.inList("fair")).containsExactly("a1");
    }

    @Test
    void aQueueThatIsNoLongerOrderedStillDrains() {
        redis.bytes().zadd(bed.keys.order("old"), 5, job("waiting"));
        pushes.push("old", List.of(job("new")));
        Worker worker = bed.worker("w").join();

        assertThat(ordered.inList("old")).containsExactly("new");
        assertThat(queues.size("old")).isEqualTo(2);
        assertThat(jids(worker.take(10, "old"))).containsExactly("new", "waiting");
    }

    @Test
    void processesThatDisagreeLoseNothing() {
        Worker knows = bed.worker("w").join();
        Worker not = new Worker(
                        "n",
                        new JobClaims(bed.connection, plain, ScriptTestBed.CLOCK, ScriptTestBed.LIMITS, 2),
                        bed.leases(),
                        0)
                .join();
        pushes.push("fair", jobs("a", 2));
        ordered.pushes(plain).push("fair", jobs("b", 2));
        assertThat(jids(not.take(10, "fair"))).containsExactly("b1", "b2");
        assertThat(new JobQueues(bed.connection, plain).inOrder(List.of("fair")))
                .isEqualTo(Map.of("fair", 2L));
        assertThat(jids(knows.take(10, "fair"))).containsExactly("a1", "a2");
    }

    @Test
    void whatWasStoredUnderAnotherRuleDrains() {
        Worker worker = bed.worker("w").join();
        OrderRules changed = new OrderRules(Map.of("fair", OrderRule.priority(Duration.ofSeconds(1))));
        ordered.pushes(new RedisKeys("", changed)).push("fair", List.of(job("p1"), job("p2")));
        pushes.push("fair", jobs("a", 2));
        ordered.pushes(new RedisKeys("", changed)).push("fair", List.of(job("p3")));

        assertThat(jids(worker.take(10, "fair"))).containsExactlyInAnyOrder("p1", "p2", "a1", "a2", "p3");
        assertThat(redis.texts().keys("jobs:*:fair")).isEmpty();
    }
}
