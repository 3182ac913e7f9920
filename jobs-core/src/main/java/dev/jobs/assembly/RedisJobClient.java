package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobHandle;
import dev.jobs.JobHooks;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.JobResult;
import dev.jobs.Payload;
import dev.jobs.batches.BatchClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.Drafts;
import dev.jobs.client.Enqueuer;
import dev.jobs.client.JobStore;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadBuilder;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.WaitingJobs;
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
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.UniqueRules;
import java.lang.reflect.Type;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A job client that stores in Redis what a Sidekiq client would store, over its own connection, which the first job
 * opens.
 *
 * <p>Each push carries a number, so that a push repeated over a new connection is stored once. While Redis can't be
 * reached, a call retries until the command timeout. All clients derived from one by {@link #at}, {@link #queue} and so
 * on share its connection; closing one closes it for all.
 *
 * <p>A job enqueued by method reference is stored under its wire name, a job enqueued by name under exactly that name,
 * alias or not.
 */
@Internal
public final class RedisJobClient implements JobClient, BatchClient, AutoCloseable {

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
        this.results = new Results(store.results(), config.keepResult(), committed::get);
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

    private RedisJobClient withOptions(Options changed) {
        return new RedisJobClient(this, changed);
    }

    @Override
    public RedisJobClient at(Instant time) {
        return withOptions(options.at(time));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if one of the times is null
     */
    @Override
    public RedisJobClient atEach(Collection<Instant> times) {
        return withOptions(options.atEach(times));
    }

    /** {@inheritDoc} A delay that ends beyond the range of {@link Instant} is refused when a job is enqueued. */
    @Override
    public RedisJobClient in(Duration delay) {
        return withOptions(options.in(delay));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if it is longer than 366 days
     */
    @Override
    public RedisJobClient spread(Duration interval) {
        return withOptions(options.spread(interval));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the queue name is invalid
     */
    @Override
    public RedisJobClient queue(String queue) {
        return withOptions(options.queue(queue));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if it is neither 0 to 1,000 nor one of the constants of {@link dev.jobs.Job}
     */
    @Override
    public RedisJobClient retry(int retries) {
        return withOptions(options.retry(retries));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the time is out of range
     */
    @Override
    public RedisJobClient expiresIn(Duration time) {
        return withOptions(EndRules.expiresIn(options, time));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the timeout is out of range
     */
    @Override
    public RedisJobClient timeout(Duration timeout) {
        return withOptions(EndRules.timeout(options, timeout));
    }

    @Override
    public RedisJobClient keepResult(Duration time) {
        return withOptions(KeptResult.keep(options, time));
    }

    @Override
    public RedisJobClient key(String key) {
        return withOptions(JobOrder.key(options, key));
    }

    @Override
    public RedisJobClient priority(int priority) {
        return withOptions(JobOrder.priority(options, priority));
    }

    @Override
    public RedisJobClient unique(String key) {
        return withOptions(UniqueRules.unique(options, key));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the name can't be that of a limit, or if it is the fourth limit of the call
     */
    @Override
    public RedisJobClient limit(String name, String key) {
        return withOptions(LimitRules.limit(options, name, key));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the period is out of range
     */
    @Override
    public RedisJobClient throttle(String key, Duration period) {
        return withOptions(UniqueRules.throttle(options, key, period, OnConflict.SKIP));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the period is out of range
     */
    @Override
    public RedisJobClient throttleKeepingLast(String key, Duration period) {
        return withOptions(UniqueRules.throttle(options, key, period, OnConflict.LATER));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if a time is out of range
     */
    @Override
    public RedisJobClient debounce(String key, Duration pause, Duration atMost) {
        return withOptions(UniqueRules.debounce(options, key, pause, atMost));
    }

    @Override
    public RedisJobClient tags(String... tags) {
        return withOptions(options.tags(tags));
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidJobException if the member is one that every job gets individually, such as {@code jid}, or if the
     *     value has no JSON form
     */
    @Override
    public RedisJobClient with(String member, @Nullable Object value) {
        return withOptions(options.with(member, value));
    }

    @Override
    public RedisJobClient now() {
        return withOptions(CommittedJobs.now(options));
    }

    @Override
    public @Nullable String enqueue(String name, @Nullable Object... arguments) {
        return enqueueOne(payloads.named(name).of(PayloadBuilder.listOf(arguments), options.ofOne(), enqueuer.now()));
    }

    @Override
    public List<@Nullable String> enqueueAll(
            String name, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return enqueueEach(argumentLists, payloads.named(name));
    }

    private @Nullable String enqueueOne(Payload draft) {
        return enqueuer.enqueue(draft, transaction());
    }

    private List<@Nullable String> enqueueEach(
            Iterable<? extends List<? extends @Nullable Object>> elements, Drafts drafts) {
        return enqueuer.enqueueAll(elements, drafts, options, transaction());
    }

    private WaitingJobs.OfCaller transaction() {
        return CommittedJobs.isNow(options) ? WaitingJobs.OfCaller.NONE : committed;
    }

    /**
     * {@inheritDoc} An {@code at} below 1,000,000,000 counts seconds from now; a time that is not in the future means
     * now.
     */
    @Override
    public @Nullable String push(Map<String, ? extends @Nullable Object> payload) {
        return enqueueOne(payloads.build(payload, options.ofOne(), enqueuer.now()));
    }

    @Override
    public Instant cancel(String jid) {
        return enqueuer.cancel(Cancellations.requireJid(jid));
    }

    @Override
    public <V> JobResult<V> result(String jid, Class<V> type) {
        return results.find(Cancellations.requireJid(jid), type);
    }

    @Override
    public <V> JobHandle<V> submit(String name, Class<V> type, @Nullable Object... arguments) {
        return submitOne(payloads.named(name), PayloadBuilder.listOf(arguments), type);
    }

    @Override
    public <V extends @Nullable Object> JobHandle<V> submitMethod(
            JobMethod method, List<? extends @Nullable Object> arguments) {
        JobDefinition job = registry.resolve(method);
        return submitOne(payloads.of(job), arguments, job.method().getGenericReturnType());
    }

    private <V extends @Nullable Object> JobHandle<V> submitOne(
            Drafts drafts, List<? extends @Nullable Object> arguments, Type type) {
        Options asking = results.asking(options.ofOne());
        Payload draft = drafts.of(arguments, asking, enqueuer.now());
        return results.handle(
                String.valueOf(draft.jid()),
                Results.client(asking),
                enqueueOne(draft),
                !CommittedJobs.isNow(options),
                type);
    }

    @Override
    public <V> List<JobHandle<V>> submitAll(
            String name, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return submitEach(argumentLists, payloads.named(name), type);
    }

    @Override
    public <V extends @Nullable Object> List<JobHandle<V>> submitAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        JobDefinition job = registry.resolve(method);
        return submitEach(argumentLists, payloads.of(job), job.method().getGenericReturnType());
    }

    private <V extends @Nullable Object> List<JobHandle<V>> submitEach(
            Iterable<? extends List<? extends @Nullable Object>> elements, Drafts drafts, Type type) {
        RedisJobClient asking = withOptions(results.asking(options));
        List<String> drafted = new ArrayList<>();
        List<@Nullable String> stored = asking.enqueueEach(elements, (arguments, given, now) -> {
            Payload draft = drafts.of(arguments, given, now);
            drafted.add(String.valueOf(draft.jid()));
            return draft;
        });
        return results.handles(drafted, Results.client(asking.options), stored, !CommittedJobs.isNow(options), type);
    }

    @Override
    public @Nullable String enqueueMethod(JobMethod method, List<? extends @Nullable Object> arguments) {
        return enqueueOne(payloads.of(registry.resolve(method)).of(arguments, options.ofOne(), enqueuer.now()));
    }

    @Override
    public List<@Nullable String> enqueueAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists) {
        return enqueueEach(argumentLists, payloads.of(registry.resolve(method)));
    }

    @Override
    public Payload draft(JobCall call) {
        if (!(call.apply(this) instanceof RedisJobClient client)) {
            throw new InvalidJobException("The options of a call must come from the client that they are given");
        }
        JobMethod method = call.method();
        Drafts drafts = method == null ? payloads.named(call.name()) : payloads.of(registry.resolve(method));
        return drafts.of(call.arguments(), client.options.ofOne(), enqueuer.now());
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
        enqueuer.renewId();
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
