package dev.jobs.unique;

import dev.jobs.Payload;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.JobSets;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Three workers that take unique jobs at random and die, for the walks over them. */
abstract class LockStorm {

    static final String QUEUE = "mail";

    record Living(Worker worker, List<Claimed> held) {}

    private final ScriptTestBed bed;
    private final ProcessLeases leases;
    final Random random;
    final LockEffects effects;
    final JobLocks locks;
    final JobPushes pushes;
    final JobSets sets;
    final List<Living> living = new ArrayList<>();
    final List<String> dead = new ArrayList<>();
    int births;
    int jobs;

    /** @param maxRecoveries how often a job may outlive its worker */
    LockStorm(ScriptTestBed bed, long seed, int maxRecoveries) {
        this.bed = bed;
        this.random = new Random(seed);
        this.effects = new LockEffects(bed.keys);
        this.locks = new JobLocks(bed.connection, bed.keys);
        this.pushes = new JobPushes(bed.connection, bed.keys, Duration.ofSeconds(5));
        this.sets = bed.sets(effects);
        this.leases = new ProcessLeases(
                bed.connection, bed.keys, ScriptTestBed.TIMING, ScriptTestBed.LIMITS, maxRecoveries, effects);
    }

    /** New workers come for those that died. */
    void staff() {
        while (living.size() < 3) {
            living.add(new Living(bed.worker("p" + births++).join(), new ArrayList<>()));
        }
    }

    Living someone() {
        return living.get(random.nextInt(living.size()));
    }

    void kill(Living process) {
        living.remove(process);
        dead.add(process.worker().id);
    }

    void reap(String victim) {
        bed.redis.texts().zadd("jobs:beats", -1, victim);
        while (!leases.reap(victim).finished()) {
            // some jobs in each call
        }
        dead.remove(victim);
    }

    /** The jobs that have not ended, in the retry set, the scheduled set, the queue, and with workers. */
    List<Payload> pending() {
        List<String> all = new ArrayList<>(bed.queue(QUEUE));
        all.addAll(bed.members("retry"));
        all.addAll(bed.members("schedule"));
        Stream.concat(living.stream().map(each -> each.worker().id), dead.stream())
                .forEach(process -> all.addAll(bed.inFlight(process).values()));
        return all.stream()
                .map(stored -> Payload.parse(ScriptTestBed.bytes(stored)))
                .toList();
    }
}
