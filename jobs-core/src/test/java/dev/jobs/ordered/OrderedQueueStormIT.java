package dev.jobs.ordered;

import static dev.jobs.ordered.OrderedQueueBed.jid;
import static dev.jobs.ordered.OrderedQueueBed.job;
import static dev.jobs.ordered.OrderedQueueBed.jobs;
import static dev.jobs.ordered.OrderedQueueBed.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.TestPushes;
import dev.jobs.store.Worker;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.JobTrash;
import dev.jobs.trash.JobTrash.Fate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each job of an ordered queue is in exactly one place. */
class OrderedQueueStormIT {

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

    /** Of the walk of each build, and of each of those of the proof. */
    private static final int STEPS = 240;

    private static final int LONG_STEPS = 400;

    /** Every job is in exactly one place after each of many random steps. */
    @Test
    void eachJobIsInExactlyOnePlaceWhateverHappens() {
        new Storm(new Random(1)).run(STEPS);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void eachJobIsInExactlyOnePlaceInLongWalks(long seed) {
        new Storm(new Random(seed)).run(LONG_STEPS);
    }

    private final class Storm {

        private final Random random;
        private final Set<String> pending = new HashSet<>();
        private final List<Worker> workers = new ArrayList<>();
        private final Map<String, List<Claimed>> held = new TreeMap<>();
        private final JobTrash trash = ordered.trash();
        private final ClearedQueues clearing = bed.clearing(EffectSource.NONE);
        private int jobs;
        private int lives;

        Storm(Random random) {
            this.random = random;
        }

        private void run(int steps) {
            join();
            join();
            for (int i = 0; i < steps; i++) {
                step();
                check();
            }
            for (Worker worker : workers) {
                List<Claimed> left = worker.take(200, "fair", "mail", "old");
                while (!left.isEmpty()) {
                    held.get(worker.id).addAll(left);
                    left = worker.take(200, "fair", "mail", "old");
                }
            }
            check();
            assertThat(redis.texts().keys("jobs:order:*")).isEmpty();
            assertThat(redis.texts().keys("jobs:tags:*")).isEmpty();
        }

        private void join() {
            Worker worker = bed.worker("w" + ++lives).join();
            workers.add(worker);
            held.put(worker.id, new ArrayList<>());
        }

        private String queue() {
            return List.of("fair", "mail", "old").get(random.nextInt(3));
        }

        private byte[] next() {
            String jid = "j" + ++jobs;
            pending.add(jid);
            return job(jid, "k" + random.nextInt(5), random.nextInt(5) - 2);
        }

        private void step() {
            Worker worker = workers.get(random.nextInt(workers.size()));
            List<Claimed> own = held.get(worker.id);
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> pushes.push(queue(), List.of(next(), next(), next()));
                case 3 -> ordered.pushes(plain).push(queue(), List.of(next()));
                case 4, 5, 6 -> own.addAll(worker.take(1 + random.nextInt(4), queue(), queue()));
                case 7 -> {
                    if (!own.isEmpty()) {
                        Claimed job = own.remove(random.nextInt(own.size()));
                        worker.settle(
                                random.nextBoolean()
                                        ? Settlement.handedBack(job.token(), job.queue(), false)
                                        : Settlement.interrupted(job.token(), job.queue(), job.payload()));
                    }
                }
                case 8 -> {
                    if (!own.isEmpty()) {
                        Claimed job = own.remove(0);
                        if (random.nextBoolean()) {
                            worker.settle(Settlement.done(job.token()));
                            pending.remove(jid(job.payload()));
                        } else {
                            worker.settle(Settlement.retried(job.token(), Duration.ZERO, job.payload()));
                        }
                    }
                }
                case 9 -> {
                    for (JobSets.Entry each : sets.lowest(StoredSet.RETRY, 0, 3)) {
                        sets.move(StoredSet.RETRY, List.of(sets.toQueue(each.payload(), queue(), each.payload())));
                    }
                }
                case 10 -> kill(worker);
                default -> byHand(queue());
            }
        }

        private void kill(Worker worker) {
            workers.remove(worker);
            held.remove(worker.id);
            redis.texts().zadd("jobs:beats", -1, worker.id);
            join();
            while (!workers.get(0).leases.reap(worker.id).finished()) {
                // until it holds nothing
            }
        }

        private void byHand(String queue) {
            if (random.nextInt(8) == 0) {
                List<String> there = read(queues.oldest(queue, 0, 10_000));
                assertThat(clearing.clear(queue)).isEqualTo(there.size());
                there.forEach(pending::remove);
                return;
            }
            long size = queues.size(queue);
            if (random.nextBoolean() && size > 0) {
                byte[] one = queues.oldest(queue, random.nextInt((int) size), 1).get(0);
                assertThat(trash.add(queue, List.of(one), List.of(new byte[0]), "b", random.nextBoolean())
                                .fates())
                        .containsExactly(Fate.KEPT);
            } else {
                trash.newest(Instant.now(), 0, 2).items().forEach(each -> trash.restore(List.of(each)));
            }
        }

        private void check() {
            List<String> found = new ArrayList<>();
            for (String queue : List.of("fair", "mail", "old")) {
                found.addAll(ordered.inList(queue));
                found.addAll(ordered.inSet(queue));
            }
            sets.lowest(StoredSet.RETRY, 0, 10_000).forEach(each -> found.add(jid(each.payload())));
            sets.lowest(StoredSet.DEAD, 0, 10_000).forEach(each -> found.add(jid(each.payload())));
            trash.newest(Instant.now(), 0, 10_000).items().forEach(each -> found.add(jid(each.stored())));
            for (String incarnation : held.keySet()) {
                bed.inFlight(incarnation).values().forEach(each -> found.add(jid(each.getBytes(UTF_8))));
            }
            assertThat(found).containsExactlyInAnyOrderElementsOf(pending);
        }
    }
}
