package dev.jobs.faults;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Measures an idle worker on a single server and on a cluster, with the notifications of key changes and without: how
 * late a job starts, and how often it calls Redis. A measurement, so only in the long dose.
 */
@FaultTest
class IdleOnClusterIT {

    private static final String[] QUEUES = {"critical", "default", "low"};
    /** The one at which a claim may stand, and one for which only the doorbell rings. */
    private static final List<String> MEASURED = List.of("critical", "low");

    private static final String[] ONLY_POLLING = {
        "--user", "default", "on", "nopass", "~*", "&*", "+@all", "-client|tracking"
    };
    private static final int ROUNDS = 2;
    private static final int JOBS = 40;
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration CALM = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern CALLS = Pattern.compile("cmdstat_(?:evalsha|eval|blmove|ping):calls=(\\d+),");

    /**
     * One kind of Redis with its worker.
     *
     * @param statistics those of the commands at the node that has the jobs
     */
    private record Idle(
            Trial trial, Supplier<String> statistics, List<Long> calls, Map<String, List<Long>> lateMicros) {

        static Idle of(Trial trial, String uri, Supplier<String> statistics) {
            trial.startAll(1, WorkerSettings.of(uri, QUEUES));
            return new Idle(trial, statistics, new ArrayList<>(), new LinkedHashMap<>());
        }

        /** Sends it one job after the other, then none. */
        void measure(Random random) {
            for (String queue : MEASURED) {
                for (int i = 0; i < JOBS; i++) {
                    Trial.letPass(Duration.ofMillis(40 + random.nextInt(120)));
                    Instant pushed = Instant.now();
                    String jid = trial.producer.enqueue(queue, "Work", 1);
                    trial.awaitFinished(List.of(jid));
                    Instant started = trial.executions(jid).get(0).started();
                    lateMicros.computeIfAbsent(queue, name -> new ArrayList<>()).add(pushed.until(started, MICROS));
                }
            }
            Trial.letPass(CALM);
            long before = count();
            Trial.letPass(IDLE);
            calls.add(count() - before);
        }

        private long count() {
            return CALLS.matcher(statistics.get())
                    .results()
                    .mapToLong(found -> Long.parseLong(found.group(1)))
                    .sum();
        }

        void report() {
            lateMicros.forEach((queue, micros) -> {
                List<Long> sorted = micros.stream().sorted().toList();
                trial.note(queue + "_p50_us", sorted.get(sorted.size() / 2));
                trial.note(queue + "_p90_us", sorted.get(sorted.size() * 9 / 10));
                trial.note(queue + "_p99_us", sorted.get(sorted.size() * 99 / 100));
            });
            double seconds = calls.size() * IDLE.toSeconds();
            trial.note(
                    "calls_per_idle_second",
                    calls.stream().mapToLong(Long::longValue).sum() / seconds);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.duplicates()).isZero();
        }
    }

    @Test
    void anIdleWorkerOfACluster() {
        assumeTrue(Dose.current() == Dose.LONG, "an idle cluster is measured in the long dose of the faults");
        try (RedisServer single = new RedisServer(Trial.directory("redis"));
                ClusteredRedis cluster = new ClusteredRedis(PATIENCE);
                ClusteredRedis polling = new ClusteredRedis(PATIENCE, ONLY_POLLING);
                Trial one = new Trial("idle-single", single.uri());
                Trial two = new Trial("idle-cluster", cluster.uri());
                Trial three = new Trial("idle-cluster-polling", polling.uri())) {
            List<Idle> all = List.of(
                    Idle.of(one, single.uri(), () -> one.redis.info("commandstats")),
                    Idle.of(two, cluster.uri(), () -> cluster.primaryInfo("commandstats")),
                    Idle.of(three, polling.uri(), () -> polling.primaryInfo("commandstats")));
            Random random = new Random(17);
            for (int round = 0; round < ROUNDS; round++) {
                all.forEach(each -> each.measure(random));
            }
            all.forEach(Idle::report);
        }
    }
}
