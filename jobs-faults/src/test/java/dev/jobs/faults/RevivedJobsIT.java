package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.RunResult;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * People run dead jobs again that were cancelled before, and each time a worker begins one of them, the connection on
 * which it asks Redis whether the job is still cancelled breaks.
 */
@FaultTest
class RevivedJobsIT {

    private static final int JOBS = 200;

    /** Breaks the connection at so many questions for a cancellation. */
    private static final class NoAnswers implements Fault {

        private final AtomicInteger left = new AtomicInteger(JOBS);

        @Override
        public Delivery command(Command command) {
            return command.name().equals("ZSCORE") && left.getAndDecrement() > 0 ? Delivery.CUT : Delivery.PASS;
        }
    }

    @Test
    void noneIsDropped() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("revived", server.uri());
                RedisJobClient client = trial.producer.another();
                JobsAdmin admin = trial.admin()) {
            Worker worker =
                    trial.startAll(1, WorkerSettings.of(proxy.uri(), "default")).get(0);
            trial.takeBaseline();
            List<Payload> dead =
                    IntStream.range(0, JOBS).mapToObj(RevivedJobsIT::dead).toList();
            for (Payload job : dead) {
                trial.redis.zadd("dead", 4e9, new String(job.bytes(), UTF_8));
                client.cancel(String.valueOf(job.jid()));
            }
            trial.awaitHeartbeats(worker, 2); // it knows of all of them
            NoAnswers fault = new NoAnswers();
            proxy.fault(fault);
            for (Payload job : dead) {
                trial.producer.accepted(String.valueOf(job.jid()));
                assertThat(admin.sets().runNow(JobSet.DEAD, job.bytes())).isEqualTo(RunResult.ENQUEUED);
            }
            Verdict verdict = trial.end();
            proxy.heal();
            trial.assertSound(verdict);
            assertThat(fault.left).as("questions that were not asked").hasValueLessThanOrEqualTo(0);
        }
    }

    private static Payload dead(int number) {
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("class", "Work");
        job.put("args", List.of(1));
        job.put("jid", "%024x".formatted(number));
        job.put("queue", "default");
        job.put("retry", true);
        job.put("retry_count", 25);
        job.put("failed_at", 1.7);
        return Payload.of(job);
    }
}
