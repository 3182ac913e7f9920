package dev.jobs.assembly;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.ArgumentMasking;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.Order;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.OpenBatch;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.limits.Limit;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.AllScripts;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Scripts;
import dev.jobs.testing.DocumentedAcl;
import dev.jobs.testing.LuaCommands;
import dev.jobs.testing.RedisFixture;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.unique.Unique;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The user of docs/servers.md that only enqueues has the commands that this takes, and no other: those that the server
 * counts, and those in the scripts that it has been sent. The one that only looks has all that read; {@code RoutesIT}
 * shows it the dashboard.
 */
class AclRolesIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private static final Set<String> OF_CONNECTIONS = Set.of("auth", "hello", "ping", "client|setname");

    /** Neither reads nor writes. */
    private static final Set<String> OF_WORKERS = Set.of("client|tracking", "wait");

    /** And those whose parts Redis 6.2 doesn't count. */
    private static final Set<String> OF_THE_TEST = Set.of("config|resetstat", "config", "client");

    private static final Pattern COUNTED = Pattern.compile("cmdstat_([^:]+):calls=[1-9]");

    private static final ScanBudget BUDGET = ScanBudget.standard();

    private interface Work {

        void with(RedisConnections connections) throws Exception;
    }

    static final class Jobs {

        @Job("Plain")
        String plain(String name) {
            return name;
        }

        @Job("Once")
        @Unique(key = "{0}")
        void once(String name) {}

        @Job("Limited")
        @Limit(name = "erp", concurrency = 1)
        void limited(String name) {}
    }

    @Test
    void aClientMayEnqueueAndNothingElse() throws Exception {
        DocumentedAcl acl = DocumentedAcl.read(DocumentedAcl.CLIENT);

        Set<String> used = used(acl, AclRolesIT::enqueue);
        used.addAll(LuaCommands.in(Scripts.source("push_sorted"), redis)); // into ordered queues
        used.add("blpop"); // Redis 8 counts it when it ends
        used.add("lpop"); // waits behind BLPOP
        assertThat(used).isEqualTo(new TreeSet<>(acl.commands()));
        assertThat(acl.denied(redis)).isEmpty();

        try (JobsAdmin admin = admin(redis.connections(acl))) {
            assertDenied(() -> admin.queues().clear("default"));
            assertDenied(() -> admin.locks().all(BUDGET));
            assertDenied(() -> admin.sets().jobs(JobSet.DEAD, any -> true, 0, 10, BUDGET));
        }
    }

    @Test
    void aClientGetsTheResultOfAWorker() throws Exception {
        DocumentedAcl worker = DocumentedAcl.read();
        DocumentedAcl acl = DocumentedAcl.read(DocumentedAcl.CLIENT);
        worker.create(redis);
        acl.create(redis);
        try (EngineTestBed bed = new EngineTestBed(redis, redis.connections(worker));
                RedisJobClient client = client(redis.connections(acl))) {
            bed.start(new Jobs());

            assertThat(client.submit("Plain", String.class, "awaited")
                            .await(Duration.ofSeconds(60))
                            .value())
                    .isEqualTo("awaited");
            assertThat(acl.denied(redis)).isEmpty();
        }
    }

    @Test
    void aViewerMayLookAndNothingElse() throws Exception {
        AllScripts.run(new ScriptTestBed(redis, redis.connections("shop:")), () -> {});
        DocumentedAcl acl = DocumentedAcl.read(DocumentedAcl.VIEWER);

        Set<String> reading = new TreeSet<>(DocumentedAcl.read().commands());
        reading.removeAll(writing());
        reading.removeAll(OF_WORKERS);
        assertThat(new TreeSet<>(acl.commands())).isEqualTo(reading);

        Set<String> used = used(acl, AclRolesIT::look);
        used.removeAll(writing()); // in the same scripts
        assertThat(acl.commands()).containsAll(used);
        // what it can't keep for others, it reads anew
        assertThat(acl.denied(redis)).singleElement().asString().contains("object=hdel,", "context=lua");

        RedisConnections connections = redis.connections(acl);
        try (JobsAdmin admin = admin(connections);
                RedisJobClient client = client(connections)) {
            assertDenied(() -> admin.queues().pause("default"));
            assertDenied(() -> admin.queues().clear("default"));
            assertDenied(() -> client.enqueue("Plain", "no"));
        }
    }

    private static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                .isEqualTo(JobStoreException.Kind.DENIED));
    }

    private static Set<String> used(DocumentedAcl acl, Work work) throws Exception {
        acl.create(redis);
        redis.texts().scriptFlush();
        redis.texts().configResetstat();
        work.with(redis.connections(acl));
        Set<String> used = new TreeSet<>(OF_CONNECTIONS);
        COUNTED.matcher(redis.texts().info("commandstats"))
                .results()
                .map(each -> each.group(1))
                .filter(each -> !OF_THE_TEST.contains(each))
                .forEach(used::add);
        for (String name : Scripts.names()) {
            if (redis.texts().scriptExists(Scripts.digest(name)).get(0)) {
                used.addAll(LuaCommands.in(Scripts.source(name), redis));
            }
        }
        return used;
    }

    private static Set<String> writing() {
        return redis.texts().command().stream()
                .map(each -> (List<?>) each)
                .filter(each -> String.valueOf(each.get(2)).contains("write"))
                .map(each -> String.valueOf(each.get(0)))
                .collect(toSet());
    }

    private static RedisJobClient client(RedisConnections connections) {
        return new RedisJobClient(
                connections,
                JobRegistry.of(new Jobs()),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new Random());
    }

    private static JobsAdmin admin(RedisConnections connections) {
        return new JobsAdmin(connections, DeadSetBounds.defaults(), JobHooks.none(), Clock.systemUTC());
    }

    private static void enqueue(RedisConnections connections) throws Exception {
        try (RedisJobClient client = client(connections);
                RedisBatches batches = new RedisBatches(connections, client, new Random());
                OutboxPushes outbox =
                        new OutboxPushes(connections.open("outbox"), connections.keys(), Duration.ofMillis(100))) {
            JobClient later = client.in(Duration.ofHours(1));
            client.enqueue("Plain", "now");
            client.enqueueAll("Limited", List.of(List.of("one"), List.of("two")));
            client.cancel(later.enqueue("Plain", "later"));
            client.enqueue("Once", "shop");
            client.enqueue("Once", "shop");
            later.enqueue("Once", "later");
            later.throttle("k", Duration.ofSeconds(5)).enqueue("Plain", "throttled");
            client.throttleKeepingLast("l", Duration.ofSeconds(5)).enqueue("Plain", "last");
            client.throttleKeepingLast("l", Duration.ofSeconds(5)).enqueue("Plain", "last");
            client.debounce("d", Duration.ofSeconds(5), Duration.ofMinutes(1)).enqueue("Plain", "debounced");
            client.debounce("d", Duration.ofSeconds(5), Duration.ofMinutes(1)).enqueue("Plain", "debounced");
            client.keepResult(Duration.ofMinutes(1)).enqueue("Plain", "kept");
            client.submit("Plain", String.class, "awaited").await(Duration.ofMillis(20));
            outbox.store(
                    "lane",
                    1,
                    List.of(new OutboxPushes.Relayed(
                            "default",
                            null,
                            "{\"class\":\"Plain\",\"jid\":\"0123456789abcdef01234567\"}".getBytes(UTF_8))));
            assertThatThrownBy(() -> outbox.await("lane", 1, OutboxPushes.Acknowledgement.REPLICA))
                    .hasMessageContaining("No replica");
            String batch = batches.create("b", "key", each -> each.add(JobCall.named("Plain", "in batch"))
                    .onSuccess(JobCall.named("Plain", "callback"))
                    .child("child", child -> child.add(JobCall.named("Plain", "in child"))));
            batches.create("b", "key", each -> each.add(JobCall.named("Plain", "in batch")));
            try (OpenBatch open = batches.open("open")) {
                open.add(JobCall.named("Plain", "added"));
            }
            try (OpenBatch open = batches.open("open")) {
                open.add(JobCall.named("Plain", "added"));
                open.commit();
            }
            batches.find(batch);
            batches.jobs(batch, EnumSet.allOf(BatchJobState.class), -1, 10);
            batches.await(batch, Duration.ofMillis(20));
            batches.cancel(batch);
        }
    }

    /** As a dashboard, health and metrics do. */
    private static void look(RedisConnections connections) {
        try (JobsAdmin admin = admin(connections)) {
            admin.warnings();
            admin.server();
            admin.stats();
            admin.books();
            admin.recentBooks();
            admin.gauges();
            admin.progress("j1");
            admin.iteration("j1");
            admin.queues().all().forEach(queue -> {
                admin.queues()
                        .jobs(queue.name(), Order.OLDEST_FIRST, any -> true, 0, 10, BUDGET)
                        .items()
                        .forEach(admin::whyWaiting);
                admin.queues().findById(queue.name(), "none", BUDGET);
            });
            for (JobSet set : JobSet.values()) {
                admin.sets().jobs(set, any -> true, 0, 10, BUDGET).items().forEach(admin::whyWaiting);
                admin.sets().findById(set, "none", BUDGET);
                admin.sets().failures(set, new ArgumentMasking(JobRegistry.of(), List.of()), BUDGET);
            }
            admin.ordered();
            admin.locks().all(BUDGET);
            admin.locks().find("Once", "shop");
            admin.limits().all().forEach(limit -> {
                admin.limits().keys(limit.name(), null);
                admin.limits().holders(limit.name(), "");
                admin.limits().waiting(limit.name(), "", 0, 10);
            });
            admin.limits().findById("none", BUDGET);
            admin.limits().parked();
            admin.limiters().all(BUDGET);
            admin.limiters().find(Kind.CONCURRENT, "api");
            admin.processes().work(admin.processes().all(), 10);
            admin.processes().workforce();
            admin.processes().stack("one", "t1");
            admin.metrics().all(Duration.ofHours(1));
            admin.metrics().timings(Duration.ofHours(1));
            admin.metrics().executions("Plain", Duration.ofHours(1));
            admin.metrics().histogram("Plain", Duration.ofHours(1));
            admin.metrics().history(5);
            admin.metrics().deploys(5);
            admin.batches().list(false, any -> true, 0, 10, BUDGET).items().forEach(batch -> {
                admin.batches().find(batch.id()).ifPresent(each -> {
                    admin.batches().family(each);
                    admin.batches().whyUnfinished(each, BUDGET);
                });
                admin.batches().jobs(batch.id(), EnumSet.allOf(BatchJobState.class), -1, 10);
                admin.batches().failures(batch, BUDGET);
                admin.batches().isAbandoned(batch);
            });
            admin.batches().membership("0123456789abcdef00000000");
        }
    }
}
