package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;

import dev.jobs.lists.JobSets;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.store.JobPushes.Due;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** A job in every place where a job can be, and every operation on it. */
public final class AllPlacesFixture {

    /** The jobs of the fixture. */
    public static final Set<String> JOBS = Set.of("held", "orphan", "pill", "waiting", "retrying", "later", "buried");

    private final ScriptTestBed bed;
    private Worker worker;

    public AllPlacesFixture(ScriptTestBed bed) {
        this.bed = bed;
    }

    /** The process {@code one}, which holds the job {@code held}. */
    public Worker worker() {
        return worker;
    }

    /** Stores all keys with their correct types. */
    public void store() {
        store("", "");
    }

    /**
     * Stores a process with a job, a given-up one with two, and one job in every other place. A command overwrites one
     * key, if any.
     */
    void store(String wrongKey, String command) {
        bed.redis.bytes().eval("""
                        redis.call('FLUSHALL')
                        redis.call('ZADD', 'jobs:beats', 1, 'one', -1, 'gone')
                        redis.call('HSET', 'jobs:seen', '#by', 'one', '#spacing', '3334', 'one', '1:0:20000', 'gone', '1:0:20000')
                        redis.call('HSET', 'jobs:in:one', '#0', '1\\n1 mail', '0:1:1:mail', 'held')
                        redis.call('HSET', 'jobs:in:gone', '#0', '1\\n2 mail', '0:1:1:mail', 'orphan', '0:1:2:mail', 'pill')
                        redis.call('HSET', 'jobs:ledger', 'claimed', 3)
                        redis.call('HSET', 'jobs:recovered', redis.sha1hex('pill'), 2)
                        redis.call('ZADD', 'jobs:recovered:times', redis.call('TIME')[1], redis.sha1hex('pill'))
                        redis.call('LPUSH', 'queue:mail', 'waiting')
                        redis.call('ZADD', 'retry', 1, 'retrying')
                        redis.call('ZADD', 'schedule', 1, 'later')
                        redis.call('ZADD', 'dead', redis.call('TIME')[1], 'buried')
                        if ARGV[1] ~= '' then
                          redis.call('DEL', ARGV[1])
                          redis.call(ARGV[2], ARGV[1], 'text')
                        end
                        """, ScriptOutputType.STATUS, new byte[0][], bytes(wrongKey), bytes(command));
        worker = bed.worker("one", 1);
    }

    /** All operations that change anything, by name. */
    public Map<String, Runnable> steps() {
        Map<String, Runnable> steps = new LinkedHashMap<>();
        steps.put("claim", () -> worker.exchange(0, 5, 1, List.of("mail", "low"), List.of()));
        steps.put(
                "retried", () -> worker.settle(Settlement.retried("0:1:1:mail", Duration.ofSeconds(9), bytes("held"))));
        steps.put(
                "postponed",
                () -> worker.settle(Settlement.postponed("0:1:1:mail", Duration.ofSeconds(9), bytes("held"))));
        steps.put("dead", () -> worker.settle(Settlement.dead("0:1:1:mail", bytes("held"), true)));
        steps.put("handed back", () -> worker.settle(Settlement.handedBack("0:1:1:mail", "mail", true)));
        steps.put("interrupted", () -> worker.settle(Settlement.interrupted("0:1:1:mail", "low", bytes("held"))));
        steps.put(
                "claim and back",
                () -> worker.exchange(
                        0, 5, 0, List.of("low", "mail"), List.of(Settlement.handedBack("0:1:1:mail", "mail", true))));
        steps.put("beat", () -> worker.leases.beat("one", Duration.ofSeconds(9)));
        steps.put("register", () -> worker.leases.register("two", Duration.ofSeconds(9)));
        steps.put("leave", () -> worker.leases.leave("one"));
        steps.put("reap", () -> worker.leases.reap("gone"));
        steps.put("sweep", () -> ScriptTestBed.condemnUnknown(worker.leases));
        steps.put("books", () -> bed.books());
        JobSets sets = bed.sets();
        steps.put("due", () -> sets.due(10));
        steps.put(
                "promote",
                () -> sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(bytes("later"), "mail", bytes("later")))));
        steps.put(
                "retry now",
                () -> sets.move(StoredSet.RETRY, List.of(sets.toQueue(bytes("retrying"), "low", bytes("retrying")))));
        steps.put("kill", () -> sets.move(StoredSet.RETRY, List.of(sets.toDead(bytes("retrying"), bytes("retrying")))));
        steps.put(
                "kill from queue",
                () -> sets.moveFromQueue("mail", List.of(sets.toDead(bytes("waiting"), bytes("waiting")))));
        steps.put(
                "postpone",
                () -> sets.move(
                        StoredSet.SCHEDULE,
                        List.of(sets.toSet(bytes("later"), StoredSet.SCHEDULE, Instant.EPOCH, bytes("later")))));
        steps.put(
                "resurrect",
                () -> sets.move(
                        StoredSet.DEAD,
                        List.of(sets.toSet(bytes("buried"), StoredSet.RETRY, Duration.ZERO, bytes("buried")))));
        TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        steps.put("push", () -> pushes.push("mail", List.of(bytes("new"))));
        steps.put("schedule", () -> pushes.schedule(List.of(new Due("5", bytes("new")))));
        ProcessRegistry registry = new ProcessRegistry(bed.connection, bed.keys);
        steps.put(
                "publish",
                () -> registry.publish(
                        "one",
                        Map.of("info", "{}"),
                        new ProcessRegistry.Work(true, List.of(), Map.of("thread", bytes("{}")))));
        steps.put("remove", () -> registry.remove("one"));
        return steps;
    }

    /** The places of each job; a place is listed twice if the job is there twice. */
    public static SortedMap<String, List<String>> places(SortedMap<String, Object> stored) {
        SortedMap<String, List<String>> places = new TreeMap<>();
        stored.forEach((key, value) -> {
            List<String> jobs = new ArrayList<>();
            if (key.startsWith("queue:") && value instanceof List<?> list) {
                list.forEach(job -> jobs.add((String) job));
            } else if (Set.of("retry", "schedule", "dead").contains(key) && value instanceof Map<?, ?> set) {
                set.keySet().forEach(job -> jobs.add((String) job));
            } else if (key.startsWith("jobs:in:") && value instanceof Map<?, ?> hash) {
                hash.forEach((token, entry) -> {
                    if (!token.toString().startsWith("#")) {
                        jobs.add(entry.toString());
                    }
                });
            }
            jobs.forEach(
                    job -> places.computeIfAbsent(job, one -> new ArrayList<>()).add(key));
        });
        return places;
    }
}
