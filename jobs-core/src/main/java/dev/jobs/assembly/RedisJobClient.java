package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobDefinition;
import dev.jobs.JobHandle;
import dev.jobs.JobHooks;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.JobResult;
import dev.jobs.Payload;
import dev.jobs.batches.BatchClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.Enqueuer;
import dev.jobs.client.JobStore;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadBuilder;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.WaitingJobs;
import dev.jobs.encryption.EncryptionRules;
import dev.jobs.ends.Cancellations;
import dev.jobs.ends.EndRules;
import dev.jobs.limits.LimitRules;
import dev.jobs.ordered.JobOrder;
import dev.jobs.redis.RedisConnections;
import dev.jobs.results.KeptResult;
import dev.jobs.results.Results;
import dev.jobs.transactions.CommittedJobs;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import dev.jobs.unique.UniqueRules;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A job client that stores in Redis what a Sidekiq client would store, over its own connection, which {@link #warmUp}
 * or the first job opens.
 *
 * <p>Each push carries a number, so that a push repeated over a new connection is stored once. While Redis can't be
 * reached, a call retries until the command timeout. All clients derived from one by {@link #at}, {@link #queue} and so
 * on share its connection; closing one closes it for all.
 *
 * <p>A job enqueued by method reference is stored under its wire name, a job enqueued by name under exactly that name,
 * alias or not.
 */
@Internal
public final class RedisJobClient
        implements EndRules.OptionMethods,
                KeptResult.OptionMethods,
                JobOrder.OptionMethods,
                UniqueRules.OptionMethods,
                LimitRules.OptionMethods,
                EncryptionRules.OptionMethods,
                CommittedJobs.OptionMethods,
                BatchClient,
                AutoCloseable {

    /** As most jobs are, with a jid, so that none is drawn: tests may count on the order in which they are. */
    private static final Map<String, Object> SAMPLE =
            Map.of("class", "dev.jobs.WarmUp", "args", List.of("", 0), "jid", "0");

    private final Enqueuer enqueuer;
    private final PayloadBuilder payloads;
    private final JobRegistry registry;
    private final CommittedJobs committed;
    private final Results results;
    private final Options options;

    /**
     * @param redis opens the connection
     * @param registry the known jobs, whose annotations and parameters apply
     * @param hooks the middleware for every job, and the listeners for stored jobs
     * @param config sizes, and how times are written
     * @param clock the source of creation and enqueue times, and of the current time for {@link #at} and {@link #in}
     * @param random the source of jids; used by many threads, so pass a {@link java.security.SecureRandom} rather than
     *     a splittable generator
     */
    public RedisJobClient(
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            ClientConfig config,
            Clock clock,
            RandomGenerator random) {
        this(new RedisJobStore(redis), registry, hooks, config, clock, random, Transactions.NONE, null);
    }

    /**
     * A client with another store, whose jobs wait for the application's transactions; closing it closes the store.
     *
     * @param outbox keeps jobs as part of a transaction; null if they are sent after it
     * @see #RedisJobClient(RedisConnections, JobRegistry, JobHooks, ClientConfig, Clock, RandomGenerator)
     */
    public RedisJobClient(
            JobStore store,
            JobRegistry registry,
            JobHooks hooks,
            ClientConfig config,
            Clock clock,
            RandomGenerator random,
            Transactions transactions,
            @Nullable Outbox outbox) {
        this.enqueuer = new Enqueuer(
                store,
                hooks,
                new PayloadRules(config.maxPayload(), config.times()),
                clock,
                registry,
                config.bulkSlice());
        this.committed = new CommittedJobs(enqueuer, transactions, outbox);
        this.payloads = new PayloadBuilder(registry, random, config.times());
        this.registry = registry;
        this.results = new Results(store.results(), registry.codec(), config.keepResult(), committed::get);
        this.options = Options.NONE;
    }

    private RedisJobClient(RedisJobClient client, Options changed) {
        this.enqueuer = client.enqueuer;
        this.payloads = client.payloads;
        this.registry = client.registry;
        this.committed = client.committed;
        this.results = client.results;
        this.options = changed;
    }

    /**
     * Opens the connection, and loads most of the classes that the first job needs, so that its caller doesn't wait for
     * that. Stores nothing. Returns when that is done, or when an attempt to connect has failed.
     *
     * @throws dev.jobs.JobStoreException if Redis can't be reached; the first job tries again
     */
    @Internal
    public void warmUp() {
        enqueuer.warmUp(payloads.build(SAMPLE, Options.NONE, enqueuer.now()));
    }

    @Override
    public Options options() {
        return options;
    }

    @Override
    public RedisJobClient with(Options changed) {
        return new RedisJobClient(this, changed);
    }

    @Override
    public @Nullable String enqueue(String name, @Nullable Object... arguments) {
        return enqueueOne(payloads.build(name, PayloadBuilder.listOf(arguments), options.ofOne(), enqueuer.now()));
    }

    @Override
    public @Nullable String enqueueMethod(JobMethod method, List<? extends @Nullable Object> arguments) {
        return enqueueOne(payloads.build(registry.resolve(method), arguments, options.ofOne(), enqueuer.now()));
    }

    @Override
    public @Nullable String push(Map<String, ? extends @Nullable Object> payload) {
        return enqueueOne(payloads.build(payload, options.ofOne(), enqueuer.now()));
    }

    @Nullable String enqueueOne(Payload draft) {
        return enqueuer.enqueue(draft, transaction());
    }

    private WaitingJobs.OfCaller transaction() {
        return CommittedJobs.isNow(options) ? WaitingJobs.OfCaller.NONE : committed;
    }

    @Override
    public List<@Nullable String> enqueueAll(
            String name, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return enqueueEach(argumentLists, ofEach(name));
    }

    @Override
    public List<@Nullable String> enqueueAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return enqueueEach(argumentLists, ofEach(registry.resolve(method)));
    }

    List<@Nullable String> enqueueEach(
            Iterable<? extends List<? extends @Nullable Object>> elements, PayloadBuilder.OfEach drafts) {
        return enqueuer.enqueueAll(elements, drafts, options, transaction());
    }

    private PayloadBuilder.OfEach ofEach(String name) {
        return (arguments, given, now) -> payloads.build(name, arguments, given, now);
    }

    private PayloadBuilder.OfEach ofEach(JobDefinition job) {
        return (arguments, given, now) -> payloads.build(job, arguments, given, now);
    }

    @Override
    public Instant cancel(String jid) {
        return Cancellations.cancel(enqueuer.store(), jid, enqueuer.now());
    }

    @Override
    public <V> JobResult<V> result(String jid, Class<V> type) {
        return results.find(Cancellations.requireJid(jid), type);
    }

    @Override
    public <V> JobHandle<V> submit(JobCall call, Class<V> type) {
        RedisJobClient asking = with(results.asking(options.ofOne())).with(call);
        JobMethod method = call.method();
        Payload draft = asking.draftOf(call);
        return results.handle(
                String.valueOf(draft.jid()),
                Results.client(asking.options),
                asking.enqueueOne(draft),
                !CommittedJobs.isNow(asking.options),
                method == null ? type : valueType(registry.resolve(method), type));
    }

    /** What to read a value as: a method may say more than its class. */
    private static Type valueType(JobDefinition job, Class<?> type) {
        Class<?> returned =
                MethodType.methodType(job.method().getReturnType()).wrap().returnType();
        return type.isAssignableFrom(returned) ? job.method().getGenericReturnType() : type;
    }

    @Override
    public <V> List<JobHandle<V>> submitAll(
            String name, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return submitEach(argumentLists, ofEach(name), type);
    }

    @Override
    public <V> List<JobHandle<V>> submitAllMethod(
            JobMethod method, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        JobDefinition job = registry.resolve(method);
        return submitEach(argumentLists, ofEach(job), valueType(job, type));
    }

    private <V> List<JobHandle<V>> submitEach(
            Iterable<? extends List<? extends @Nullable Object>> elements, PayloadBuilder.OfEach drafts, Type type) {
        RedisJobClient asking = with(results.asking(options));
        List<String> drafted = new ArrayList<>();
        List<@Nullable String> stored = asking.enqueueEach(elements, (arguments, given, now) -> {
            Payload draft = drafts.build(arguments, given, now);
            drafted.add(String.valueOf(draft.jid()));
            return draft;
        });
        return results.handles(drafted, Results.client(asking.options), stored, !CommittedJobs.isNow(options), type);
    }

    @Override
    public Payload draft(JobCall call) {
        return with(call).draftOf(call);
    }

    private Payload draftOf(JobCall call) {
        return payloads.build(call, options.ofOne(), enqueuer.now());
    }

    /** This client with the options of a call. */
    private RedisJobClient with(JobCall call) {
        if (call.apply(this) instanceof RedisJobClient client) {
            return client;
        }
        throw new InvalidJobException("The options of a call must come from the client that they are given");
    }

    @Override
    public Enqueuer enqueuer() {
        return enqueuer;
    }

    @Override
    public CommittedJobs committed() {
        return committed;
    }

    /**
     * Switches to an id that no other client has, for all clients that share this connection. Call it when a process
     * that may be a clone begins to work. Without this call a clone detects that another client has its id, and still
     * stores each job. Thread-safe.
     */
    public void renewId() {
        enqueuer.store().renewId();
        results.renewId();
    }

    /**
     * Waits until the jobs of committed transactions are stored or given up, at most for two command timeouts. Call it
     * before the application's connections end.
     */
    public void awaitCommitted() {
        committed.work().awaitDone();
    }

    /** Closes the connection; later calls fail. */
    @Override
    public void close() {
        results.close();
        committed.close();
        enqueuer.close();
    }
}
