package dev.jobs.client;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Redis, clients with a fixed clock, and what is stored there as text. */
public final class ClientTestBed implements BeforeEachCallback, AutoCloseable {

    public static final Instant NOW = Instant.ofEpochMilli(1_795_237_556_186L);
    static final String TIMES = "\"created_at\":1795237556186,\"enqueued_at\":1795237556186}";

    private final List<RedisJobClient> clients = new CopyOnWriteArrayList<>();
    public final RedisFixture redis;

    public ClientTestBed(String... options) {
        redis = RedisFixture.start(options);
    }

    public RedisJobClient client(Class<?>... jobs) {
        return client(JobHooks.none(), jobs);
    }

    public RedisJobClient client(EnqueueMiddleware middleware, Class<?>... jobs) {
        return client(JobHooks.none().with(EnqueueMiddleware.class, middleware), jobs);
    }

    public RedisJobClient client(JobListener listener, Class<?>... jobs) {
        return client(JobHooks.none().with(JobListener.class, listener), jobs);
    }

    public RedisJobClient client(JobHooks hooks, Class<?>... jobs) {
        return client(redis.connections(""), hooks, ClientConfig.defaults(), Clock.fixed(NOW, ZoneOffset.UTC), jobs);
    }

    RedisJobClient client(Duration timeout) {
        return client(redis.connections("", timeout), JobHooks.none(), ClientConfig.defaults(), Clock.systemUTC());
    }

    public RedisJobClient client(
            RedisConnections connections, JobHooks hooks, ClientConfig config, Clock clock, Class<?>... jobs) {
        RedisJobClient client = new RedisJobClient(connections, registry(jobs), hooks, config, clock, new Random(42));
        clients.add(client);
        return client;
    }

    /** The jobs of these classes as if a bean of each had been found, inherited methods included. */
    public static JobRegistry registry(Class<?>... types) {
        List<JobDefinition> definitions = new ArrayList<>();
        for (Class<?> type : types) {
            for (Method method : methods(type)) {
                Job job = method.getAnnotation(Job.class);
                if (job != null) {
                    definitions.add(JobDefinition.of(
                            job, type, method, List.of(method.getGenericParameterTypes()), arguments -> null));
                }
            }
        }
        return new JobRegistry(definitions);
    }

    private static List<Method> methods(Class<?> type) {
        List<Method> methods = new ArrayList<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (!method.isBridge() && !Modifier.isAbstract(method.getModifiers())) {
                    methods.add(method);
                }
            }
        }
        for (Class<?> each : type.getInterfaces()) {
            methods.addAll(List.of(each.getDeclaredMethods()));
        }
        return methods;
    }

    /** The jobs of a queue; the one that is taken first comes first. */
    public List<String> queue(String name) {
        List<String> newestFirst = new ArrayList<>(redis.texts().lrange("queue:" + name, 0, -1));
        java.util.Collections.reverse(newestFirst);
        return newestFirst;
    }

    /** The jobs of the scheduled set; the one that is due first comes first. */
    public List<String> scheduled() {
        return redis.texts().zrange("schedule", 0, -1);
    }

    /** A registered one is empty when a test begins. */
    @Override
    public void beforeEach(ExtensionContext test) {
        clear();
    }

    /** Empties Redis and closes the clients of the last test. */
    public void clear() {
        clients.forEach(RedisJobClient::close);
        clients.clear();
        redis.flush();
    }

    @Override
    public void close() {
        clients.forEach(RedisJobClient::close);
        redis.close();
    }
}
