package dev.jobs.benchmarks.harness.micro;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.ParameterType;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** The cost of a job within this process, without Redis. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MicroBenchmarks {

    /** An argument with members. */
    public record Order(long id, String customer, List<String> items) {}

    /** A class with jobs. */
    public static class Orders {

        /** A job with typical arguments. */
        @Job("Orders.confirm")
        public void confirm(String mail, int attempts, Order order) {}
    }

    private static final String STORED = """
            {"retry":true,"queue":"default","class":"Orders.confirm","args":["bob@example.com",5,\
            {"id":4711,"customer":"Bob","items":["tea","cup","spoon"]}],"jid":"b4a577edbccf1d805744efa9",\
            "created_at":1700000000123,"enqueued_at":1700000000456}""";

    private final ArgumentCodec codec = new ArgumentCodec();
    private final Order order = new Order(4711, "Bob", List.of("tea", "cup", "spoon"));
    private final List<Object> arguments = List.of("bob@example.com", 5, order);
    private final byte[] stored = STORED.getBytes(StandardCharsets.UTF_8);
    private final List<ParameterType> parameters = List.of(
            new ParameterType("mail", String.class),
            new ParameterType("attempts", int.class),
            new ParameterType("order", Order.class));

    private byte[] rawArguments = new byte[0];
    private JobRegistry registry = new JobRegistry(List.of());
    private JobClient client = client(registry, null);

    @Setup
    public void prepare(Blackhole end) {
        rawArguments = Payload.parse(stored).rawArgs();
        registry = new JobRegistry(List.of(definition()));
        client = client(registry, end);
    }

    private static JobDefinition definition() {
        Method method = Arrays.stream(Orders.class.getDeclaredMethods())
                .filter(each -> each.isAnnotationPresent(Job.class))
                .findFirst()
                .orElseThrow();
        return JobDefinition.of(
                method.getAnnotation(Job.class),
                Orders.class,
                method,
                List.of(method.getGenericParameterTypes()),
                bound -> null);
    }

    /** A client whose jobs end just before storage, with the bytes to be stored. */
    private static JobClient client(JobRegistry registry, Blackhole end) {
        JobHooks hooks = JobHooks.none().with(EnqueueMiddleware.class, (payload, next) -> {
            end.consume(payload.with("enqueued_at", 1_700_000_000_456L).bytes());
            return null;
        });
        RedisConnections nowhere = new RedisConnections(
                () -> {
                    throw new IllegalStateException("nothing is to be stored");
                },
                new RedisKeys(""),
                Duration.ofSeconds(1));
        return new RedisJobClient(
                nowhere, registry, hooks, ClientConfig.defaults(), Clock.systemUTC(), new SecureRandom());
    }

    @Benchmark
    public void parsePayload(Blackhole end) {
        Payload payload = Payload.parse(stored);
        end.consume(payload.name());
        end.consume(payload.jid());
        end.consume(payload.rawArgs());
    }

    @Benchmark
    public Object[] bindArguments() throws ArgumentException {
        return codec.decode(rawArguments, parameters);
    }

    @Benchmark
    public byte[] writeArguments() throws JsonException {
        return codec.encode(arguments);
    }

    @Benchmark
    public JobDefinition resolveMethodReference() {
        JobMethod.P3<Orders, String, Integer, Order> reference = Orders::confirm;
        return registry.resolve(reference);
    }

    @Benchmark
    public String buildPayload() {
        return client.enqueue(Orders::confirm, "bob@example.com", 5, order);
    }
}
