package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.iterations.Iteration;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.StoredLimiters;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.DocumentedAcl;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An engine, a client and administration as the user with the fewest rights in docs/servers.md. */
class AclIT {

    @AutoClose
    private static final RedisFixture redis = RedisFixture.start();

    private static final ScanBudget BUDGET = ScanBudget.standard();

    private final DocumentedAcl acl = DocumentedAcl.read();
    private final Jobs jobs = new Jobs();

    static final class Jobs {

        private final Set<String> done = ConcurrentHashMap.newKeySet();
        private Limiters limiters;

        @Job("Plain")
        String plain(String name) {
            done.add(name);
            return name;
        }

        @Job(value = "Fails", retry = 0)
        void fails() {
            throw new IllegalStateException("no");
        }

        @Job("Retries")
        void retries() {
            throw new IllegalStateException("no");
        }

        @Job("Walks")
        Iteration<Integer> walks(JobContext job) {
            job.log("walks");
            return Iteration.over(List.of(1, 2, 3)).each(each -> done.add("element " + each));
        }

        @Job("Once")
        @Unique(key = "{0}")
        void once(String name) {
            done.add("once " + name);
        }

        @Job("Limited")
        @Limit(name = "erp", concurrency = 1, rate = 100, per = "1s")
        void limited(int number) throws Exception {
            limiters.concurrent("api", 2).run(() -> done.add("limited " + number));
        }
    }

    @Test
    void whatWorkersClientsAndAdministrationDoIsAllowed() throws Exception {
        acl.create(redis);
        RedisConnections connections = redis.connections(acl);
        EngineTestBed bed = new EngineTestBed(redis, connections);
        jobs.limiters = new StoredLimiters(
                new JobLimiters(connections), bed.current, JobHooks.none(), System::nanoTime, new Random());
        JobRegistry registry = JobRegistry.of(jobs);
        RedisJobClient client = new RedisJobClient(
                connections, registry, JobHooks.none(), ClientConfig.defaults(), Clock.systemUTC(), new Random());
        RedisBatches batches = new RedisBatches(connections, client, new Random());
        RedisRecurringJobs recurring = new RedisRecurringJobs(
                connections, registry, JobHooks.none(), ClientConfig.defaults(), new Random(), "default");
        JobsAdmin admin = new JobsAdmin(connections, DeadSetBounds.defaults(), JobHooks.none(), Clock.systemUTC());
        try (bed;
                client;
                batches;
                recurring;
                admin) {
            bed.batches = batches;
            bed.start(jobs);
            assertThat(client.submit("Plain", String.class, "awaited")
                            .await(Duration.ofSeconds(60))
                            .value())
                    .isEqualTo("awaited");
            client.enqueue("Fails");
            client.enqueue("Retries");
            client.enqueue("Walks");
            client.enqueue("Once", "shop");
            client.enqueueAll("Limited", List.of(List.of(1), List.of(2), List.of(3)));
            client.in(Duration.ofMillis(50)).enqueue("Plain", "due");
            client.cancel(client.in(Duration.ofHours(1)).enqueue("Plain", "cancelled"));
            String batch = batches.create("b", each -> each.add(JobCall.named("Plain", "in batch"))
                    .child("child", child -> child.add(JobCall.named("Plain", "in child"))));
            recurring.save("nightly", Recurrence.cron("0 2 * * *"), JobCall.named("Plain", "recurring"));
            recurring.runNow("nightly");
            recurring.pause("nightly");

            await().until(() -> jobs.done.containsAll(Set.of(
                    "element 3",
                    "once shop",
                    "limited 1",
                    "limited 2",
                    "limited 3",
                    "due",
                    "in batch",
                    "in child",
                    "recurring")));
            await().until(() -> batches.find(batch).orElseThrow().isFinished());
            await().until(() -> admin.stats().dead() == 1 && admin.stats().retries() == 1);
            look(admin);
            assertThat(acl.denied(redis)).isEmpty();

            RedisConnections elsewhere = redis.connections(acl, "other:");
            assertThatThrownBy(() -> new RedisJobStore(elsewhere).cancel("j1", Instant.EPOCH))
                    .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                            .isEqualTo(JobStoreException.Kind.DENIED));
        }
    }

    /** As a dashboard does. */
    private static void look(JobsAdmin admin) {
        admin.warnings();
        admin.server();
        admin.books();
        admin.queues().all();
        admin.queues().pause("low");
        admin.queues().resume("low");
        admin.queues().findById("default", "none", BUDGET);
        admin.sets().findById(JobSet.DEAD, "none", BUDGET);
        List<JobRecord> dead = admin.sets().jobs(JobSet.DEAD, any -> true, 0, 10, BUDGET).items().stream()
                .map(ListedJob::job)
                .toList();
        admin.trash().delete(JobSet.DEAD, dead, "b", done -> {});
        admin.trash().restoreBatch("b", Duration.ofSeconds(5));
        admin.trash().empty();
        admin.locks().all(BUDGET);
        admin.limits().all();
        admin.limits().set("erp", 2);
        admin.limits().reset("erp");
        admin.limiters().all(BUDGET);
        admin.processes().work(admin.processes().all(), 10);
        admin.processes().workforce();
        admin.metrics().all(Duration.ofHours(1));
        admin.metrics().timings(Duration.ofHours(1));
        admin.metrics().history(5);
        admin.metrics().markDeploy("v1");
        admin.batches().list(false, any -> true, 0, 10, BUDGET);
    }
}
