package dev.jobs.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What several shards can't keep is refused before anything is stored. */
class ShardRefusalsIT {

    @AutoClose
    static final ShardsTestBed bed = new ShardsTestBed();

    private RedisJobClient client;

    static final class Limited {
        @Job(value = "Limited", concurrency = 1, queue = "home")
        void run() {}
    }

    @BeforeEach
    void open() {
        bed.open();
        client = bed.client(Limited.class);
    }

    @AfterEach
    void close() throws Exception {
        bed.closeClients();
    }

    private static void assertRefused(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call).isInstanceOf(InvalidJobException.class).hasMessageContainingAll(parts);
        bed.servers.values().forEach(server -> assertThat(server.texts().keys("queue:*"))
                .isEmpty());
    }

    @Test
    void aQueueInNoShard() {
        assertRefused(
                () -> client.queue("nowhere").enqueue("A"),
                "Could not enqueue job A: its queue 'nowhere' is in none of the shards [home, east, west]; add it");
        assertRefused(() -> client.queue("nowhere").in(Duration.ofHours(1)).enqueue("A"), "none of the shards");
    }

    @Test
    void locksInASpreadQueue() {
        String reason = "locks hold within one shard, but its queue 'orders' is spread over [home, east, west]";
        assertRefused(() -> client.queue("orders").unique("k").enqueue("A"), "it is unique", reason);
        assertRefused(
                () -> client.queue("orders")
                        .debounce("k", Duration.ofSeconds(5), Duration.ofSeconds(9))
                        .enqueue("A"),
                "it is debounced",
                reason);
        assertThat(client.queue("east").unique("k").enqueue("A")).isNotNull();
        assertThat(client.queue("east").unique("k").enqueue("A")).isNull();
    }

    @Test
    void limitsInASpreadQueue() {
        String reason = "limits count within one shard, but its queue 'orders' is spread over";
        assertRefused(() -> client.queue("orders").limit("l", "k").enqueue("A"), reason);
        assertRefused(() -> client.queue("orders").enqueue("Limited"), "Could not enqueue job Limited", reason);
        assertThat(client.enqueue("Limited")).isNotNull();
    }

    @Test
    void retriesInAQueueOfAnotherShard() {
        assertRefused(
                () -> client.queue("east").with("retry_queue", "west").enqueue("A"),
                "its queue 'east' is in shard 'east', and the queue 'west' of its retries is in shard 'west'");
        assertRefused(() -> client.queue("orders").with("retry_queue", "west").enqueue("A"), "of its retries");
        assertThat(client.queue("east").with("retry_queue", "orders").enqueue("A"))
                .isNotNull();
    }

    @Test
    void aJobOfABatchInAnotherShard() {
        RedisBatches home = bed.batches("home", client);
        String reason =
                "its queue 'east' is in shard 'east', and this batch in shard 'home'; create the batch with the "
                        + "Batches of that shard";
        JobCall there = JobCall.named("A").with(with -> with.queue("east"));
        assertRefused(() -> home.create("b", batch -> batch.add(there)), "Could not enqueue job A: " + reason);
        assertRefused(() -> home.create("b", batch -> batch.on(BatchEvent.SUCCEEDED, there)), reason);
        try (var open = home.open("o", options -> {})) {
            assertRefused(() -> open.add(there), reason);
        }
        assertRefused(
                () -> home.create(
                        "b",
                        batch -> batch.on(
                                BatchEvent.SUCCEEDED, JobCall.named("Limited").with(with -> with.queue("orders")))),
                "it has a limit");

        bed.batches("east", client)
                .create("b", batch -> batch.add(there).add(JobCall.named("A").with(with -> with.queue("orders"))));
        assertThat(bed.jids("east", "east")).hasSize(1);
        assertThat(bed.jids("east", "orders")).as("stays with its batch").hasSize(1);
    }

    @Test
    void aRecurringJobOfAnotherShard() {
        Recurrence east = Recurrence.cron("@daily").queue("east");
        try (RedisRecurringJobs home = recurring("home");
                RedisRecurringJobs there = recurring("east")) {
            assertRefused(
                    () -> home.save("r", east, JobCall.named("A")),
                    "its queue 'east' is in shard 'east', and this recurring job in shard 'home'; save it with the "
                            + "RecurringJobs of that shard");
            assertThat(home.list()).isEmpty();
            there.save("r", east, JobCall.named("A"));
            there.runNow("r");
            assertThat(bed.jids("east", "east")).hasSize(1);
        }
    }

    private static RedisRecurringJobs recurring(String shard) {
        return new RedisRecurringJobs(
                bed.connections(shard),
                ClientTestBed.registry(),
                JobHooks.none(),
                ClientConfig.defaults(),
                new Random(7),
                "default",
                new OneShard(ShardsTestBed.MAP, shard));
    }

    @Test
    void anOutbox() {
        Outbox outbox = new Outbox() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void keep(List<Entry> jobs) {}

            @Override
            public void keepBatch(String id, byte[] commit) {}

            @Override
            public void committed() {}
        };
        assertThatThrownBy(() -> bed.client(Transactions.NONE, outbox))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("An outbox keeps jobs for one Redis");
    }

    @Test
    void aShardWithoutAStore() {
        assertThatThrownBy(() -> new ShardedJobStore(ShardsTestBed.MAP, Map.of()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("the shards are [home, east, west]");
        assertThatThrownBy(() -> new RedisBatches(bed.connections("home"), client, new Random(7)))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("whose own shard is unknown");
        assertThatThrownBy(() -> new OneShard(ShardsTestBed.MAP, "north"))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("There is no shard 'north'");
    }
}
