package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Payload;
import dev.jobs.faults.Fault.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * According to Redis, a worker holds a job that the worker doesn't know, as after a restart or a failover that lost a
 * settlement.
 */
@FaultTest
class HeldJobsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The line of the claims that stand. */
    private static final String STANDING = "2";

    private static final int BEATS = 4;

    private static final String JID = "0123456789abcdef01234567";

    /** Holds back the answers to some of an idle worker's claims until released. */
    private static final class HeldBack implements Fault {

        private final Predicate<Command> which;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);

        HeldBack(Predicate<Command> which) {
            this.which = which;
        }

        @Override
        public Delivery answer(Command command) {
            if (command.claims() && !command.settles() && which.test(command)) {
                begun.countDown();
                awaitUninterrupted(over);
            }
            return Delivery.PASS;
        }

        private static void awaitUninterrupted(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void runsOnceHoweverOftenTheWorkerLearnsOfItBeforeItRuns() throws InterruptedException {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("held-unknown", server.uri())) {
            WorkerSettings settings =
                    WorkerSettings.of(proxy.uri(), "default").withCommandTimeout(Duration.ofMinutes(5));
            Worker worker = trial.startAll(1, settings).get(0);
            trial.takeBaseline();
            HeldBack fault = new HeldBack(command -> true);
            proxy.fault(fault);
            fault.begun.await();
            String identity = trial.identity(worker);
            hold(trial, identity);
            awaitBeats(trial, identity, BEATS); // after each beat the worker checks which jobs it holds
            fault.over.countDown();
            proxy.heal();
            trial.awaitFinished(List.of(JID));
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.duplicates()).isZero();
        }
    }

    /**
     * As if the network were slow: the worker is still waiting for the answer to its claim, so the job isn't unknown to
     * it.
     */
    @Test
    void runsOnceWhenTheAnswerToAClaimThatStoodComesLate() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("stood-late", server.uri())) {
            WorkerSettings settings =
                    WorkerSettings.of(proxy.uri(), "default").withCommandTimeout(Duration.ofMinutes(5));
            Worker worker = trial.startAll(1, settings).get(0);
            trial.takeBaseline();
            String identity = trial.identity(worker);
            HeldBack fault = new HeldBack(command -> command.argument(2).equals(STANDING));
            int round = 0;
            while (!stands(trial, proxy, identity, fault, file(round))) {
                trial.release(file(round));
                fault.over.countDown();
                proxy.heal();
                trial.awaitDone(PATIENCE);
                fault = new HeldBack(command -> command.argument(2).equals(STANDING));
                round++;
            }
            trial.release(file(round)); // if it ran now, it would have ended when the answer comes
            awaitBeats(trial, identity, BEATS);
            fault.over.countDown();
            proxy.heal();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.duplicates()).isZero();
            assertThat(worker.said())
                    .as("what the worker took from Redis because it knew nothing of it")
                    .noneMatch(line -> line.contains("didn't know"));
        }
    }

    private static String file(int round) {
        return "go-" + round;
    }

    /**
     * Enqueues a job that waits for a file. Returns whether the worker holds it through a claim that stood, whose answer
     * is held back.
     */
    private static boolean stands(Trial trial, FaultProxy proxy, String identity, HeldBack fault, String file) {
        proxy.fault(fault);
        trial.producer.enqueue("default", "Until", file);
        await("a claim").until(() -> !tokens(trial, identity).isEmpty());
        return tokens(trial, identity).stream().anyMatch(token -> token.startsWith(STANDING + ":"));
    }

    private static List<String> tokens(Trial trial, String identity) {
        return trial.redis.hkeys("jobs:in:" + identity).stream()
                .filter(field -> !field.startsWith("#"))
                .toList();
    }

    private static void hold(Trial trial, String identity) {
        byte[] payload = Payload.of(Map.of("class", "Work", "args", List.of(500), "jid", JID))
                .bytes();
        trial.redis.hset("jobs:in:" + identity, "0:1:1:default", new String(payload, StandardCharsets.UTF_8));
        trial.redis.hincrby("jobs:ledger", "claimed", 1);
        trial.producer.accepted(JID);
    }

    private static void awaitBeats(Trial trial, String identity, int count) {
        double before = trial.redis.zscore("jobs:beats", identity);
        await("beats").until(() -> trial.redis.zscore("jobs:beats", identity) >= before + count);
    }
}
