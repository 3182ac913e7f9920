package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Workers are frozen in the middle of their work, as by a long garbage collection or the migration of a virtual
 * machine, and continue later.
 */
@FaultTest
class FreezeIT {

    private final Dose dose = Dose.current();

    @Test
    void aWorkerThatFrozePastItsLeaseSettlesNothingAndGoesOnUnderAnotherIdentity() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("freeze-past-lease", server.uri())) {
            List<Worker> workers = trial.startAll(dose.of(2, 3), settings(proxy.uri()));
            trial.takeBaseline();
            for (int i = 0; i < dose.of(1, 6); i++) {
                Worker victim = workers.get(i % workers.size());
                freezePastLease(trial, proxy, victim, i % 2 == 0 ? "FailOnceAfter" : "Until", "round-" + i);
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertCountedOnce();
            assertThat(verdict.duplicates())
                    .as("whatever ran twice was taken from a frozen worker")
                    .isBetween(1, (int) verdict.recovered());
        }
    }

    /** @param job what it runs while frozen: jobs that succeed once released, or jobs that fail */
    private void freezePastLease(Trial trial, FaultProxy proxy, Worker victim, String job, String round) {
        String before = trial.identity(victim);
        Set<String> interrupted = holdAllThreads(trial, victim, job, round);
        victim.freezeForGood();
        new Load(trial, round.hashCode(), 50).enqueue(dose.of(200, 2_000));
        trial.awaitForgotten(before);
        trial.release(round);
        await().until(() -> endedElsewhere(trial, victim).containsAll(interrupted));
        Trial.letPass(dose.of(Duration.ZERO, WorkerSettings.LEASE.multipliedBy(3)));
        proxy.fault(deafUntilItSettles(before));
        victim.thaw();
        await().until(() -> trial.identities(victim).stream().anyMatch(identity -> !identity.equals(before)));
        proxy.heal();
        await().untilAsserted(() -> assertThat(victim.said())
                .as("that it came too late, and who it is from now on")
                // A claim that was under way when it froze may be fenced before it settles anything.
                .anyMatch(line -> line.contains("settled too late: Redis no longer held them for " + before)
                        || line.contains("Redis no longer holds the"))
                .anyMatch(line -> line.contains(before + " was given up"))
                .anyMatch(line ->
                        line.endsWith("continues as " + trial.identities(victim).get(0))));
    }

    /** The worst order of events: it reports its results before it can learn that it was given up. */
    private static Fault deafUntilItSettles(String identity) {
        AtomicBoolean settled = new AtomicBoolean();
        return new Fault() {
            @Override
            public Delivery command(Command command) {
                boolean hears = command.runs("beat") && command.argument(1).equals(identity);
                return hears && !settled.get() ? Delivery.CUT : Delivery.PASS;
            }

            @Override
            public Delivery answer(Command command) {
                if (command.settles() && command.argument(1).equals(identity)) {
                    settled.set(true);
                }
                return Delivery.PASS;
            }
        };
    }

    /** Fills the threads of all workers with jobs that wait for a file, and returns those that this worker runs. */
    private static Set<String> holdAllThreads(Trial trial, Worker worker, String job, String file) {
        int threads = trial.alive().stream()
                .mapToInt(each -> each.settings.concurrency())
                .sum();
        List<String> all = trial.producer.enqueueAll("default", job, Collections.nCopies(threads, List.of(file)));
        await().until(() -> started(trial.executions()).containsAll(all));
        Set<String> here = started(worker.executions());
        here.retainAll(all);
        return here;
    }

    private static Set<String> started(List<Execution> executions) {
        return executions.stream().map(Execution::jid).collect(Collectors.toSet());
    }

    private static Set<String> endedElsewhere(Trial trial, Worker worker) {
        return trial.executions().stream()
                .filter(execution -> execution.worker() != worker.number && execution.ended() != null)
                .map(Execution::jid)
                .collect(Collectors.toSet());
    }

    @Test
    void neitherShortPausesNorAFreezeOfAllAreTakenForDeaths() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("freeze-without-deaths", server.uri())) {
            List<Worker> workers = trial.startAll(dose.of(2, 3), settings(server.uri()));
            trial.takeBaseline();
            Load load = new Load(trial, 7, 200);
            for (int i = 0; i < dose.of(2, 10); i++) {
                Worker one = workers.get(i % workers.size());
                inTheMiddleOfWork(trial, load, () -> freeze(one, WorkerSettings.LEASE.dividedBy(2)));
            }
            for (int i = 0; i < dose.of(1, 5); i++) {
                inTheMiddleOfWork(
                        trial, load, () -> trial.machine.freezeAll(workers, WorkerSettings.LEASE.multipliedBy(3)));
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertCountedOnce();
            trial.assertUnharmed(verdict);
        }
    }

    private static void inTheMiddleOfWork(Trial trial, Load load, Runnable fault) {
        int before = trial.executions().size();
        load.fill(200);
        trial.awaitStarts(before + 20);
        fault.run();
    }

    private static void freeze(Worker worker, Duration duration) {
        worker.freeze();
        Trial.letPass(duration);
        worker.thaw();
    }

    private static WorkerSettings settings(String uri) {
        return WorkerSettings.of(uri, Load.QUEUES);
    }
}
