package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.faults.Fault.Delivery;
import dev.jobs.faults.WorkerSettings.Program;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A process that cancels a batch with more children than one answer of Redis names is killed meanwhile. */
@FaultTest
class CancelledFamilyIT {

    /** The file with the id of the batch to be cancelled. */
    static final String BATCH_FILE = "cancelled-batch";

    private static final String ID = "00c0ffee00c0ffee";
    private static final int CHILDREN = 20_000;

    /** Stores a batch and its children, as their commits would, each child with a job in a queue. */
    private static final String FAMILY = """
            local function batch(id, jobs, children)
              redis.call('HSET', 'jobs:batch:' .. id, 'total', jobs, 'fresh', jobs, 'again', 0, 'ok', 0, 'failed', 0,
                'dead', 0, 'skipped', 0, 'lost', 0, 'open', 0, 'waits', 0, 'children', children, 'children_open',
                children, 'children_bad', 0, 'created', 1, 'changed', 1, 'committed', 1)
              redis.call('ZADD', 'jobs:batches', 1, id)
              redis.call('ZADD', 'jobs:batches:open', 1, id)
            end
            batch(ARGV[1], 0, tonumber(ARGV[2]))
            redis.call('HSET', 'jobs:batch:' .. ARGV[1] .. ':d', 'name', 'parent')
            for i = 1, tonumber(ARGV[2]) do
              local id = string.format('%016x', i)
              batch(id, 1, 0)
              redis.call('HSET', 'jobs:batch:' .. id .. ':d', 'name', 'child', 'parent', ARGV[1])
              redis.call('SET', 'jobs:batch:' .. id .. ':s', 'q')
              redis.call('SADD', 'jobs:batch:' .. ARGV[1] .. ':k', id)
              redis.call('LPUSH', 'queue:low', '{"class":"Work","args":[0],"queue":"low","retry":true,"jid":"' .. id
                .. '00000000","jb":1,"created_at":1700000000000,"enqueued_at":1700000000000}')
            end
            redis.call('SADD', 'queues', 'low')
            return 'OK'
            """;

    /** Kills the caller before one of the calls that cancel. */
    private static final class Kill implements Fault {

        private final CompletableFuture<Worker> victim = new CompletableFuture<>();
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public Delivery command(Command command) {
            if (command.runs("batch_cancel") && calls.incrementAndGet() == 3) {
                victim.join().kill();
            }
            return Delivery.PASS;
        }
    }

    @Test
    void theLeaderCancelsWhatTheCallerLeft() throws IOException {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("cancelled-family", server.uri())) {
            trial.redis.eval(FAMILY, ScriptOutputType.STATUS, new String[0], ID, Integer.toString(CHILDREN));
            Files.writeString(trial.directory.resolve(BATCH_FILE), ID, UTF_8);
            Kill kill = new Kill();
            proxy.fault(kill);
            Worker caller = Worker.start(
                    1_000,
                    WorkerSettings.of(proxy.uri()).withProgram(Program.BATCH_CANCELLER),
                    trial.directory,
                    WorkerJvm.command());
            kill.victim.complete(caller);
            await("the death of the caller").until(() -> !caller.isAlive());
            assertThat(trial.redis.zcard("jobs:batches:cancelled"))
                    .as("cancelled by then")
                    .isBetween(1L, CHILDREN / 2L);

            trial.startAll(2, WorkerSettings.of(server.uri(), "default"));
            await("the cancellation of all children")
                    .until(() -> trial.redis.zcard("jobs:batches:cancelled") == CHILDREN + 1);
            trial.start(WorkerSettings.of(server.uri(), "low"));
            await("the end of the family").until(() -> status(trial).isFinished());

            assertThat(status(trial).state()).isEqualTo(State.CANCELLED);
            assertThat(status(trial).childrenOpen()).isZero();
            assertThat(trial.redis.zcard("jobs:batches:open")).isZero();
            assertThat(trial.executions()).as("jobs of cancelled batches").isEmpty();
            trial.note("children", CHILDREN);
            trial.assertSound(trial.end());
        }
    }

    private static BatchStatus status(Trial trial) {
        return trial.producer.batches().find(ID).orElseThrow();
    }

    /** The program of the caller. */
    static void cancel(WorkerSettings settings, Path directory) {
        try {
            new Producer(settings.uri(), settings.commandTimeout())
                    .batches()
                    .cancel(Files.readString(directory.resolve(BATCH_FILE), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().halt(0);
    }
}
