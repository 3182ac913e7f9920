package dev.jobs.recurring;

import dev.jobs.ArgumentSeal;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadBuilder;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ReadyJob;
import dev.jobs.codec.RubyTime;
import dev.jobs.recurring.RecurringJobStore.Fired;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.unique.Duplicates;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The recurring jobs of one namespace in Redis, as sidekiq-cron stores them, over its own connection, which the first
 * call opens. Uses the Redis server's clock. Thread-safe.
 */
@Internal
public final class RedisRecurringJobs implements RecurringJobs, AutoCloseable {

    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,200}");

    /** How often a call starts over because the recurring job changes concurrently. */
    private static final int MOST_ATTEMPTS = 10;

    private final RedisConnection connection;
    private final RecurringJobStore cron;
    private final JobRegistry registry;
    private final JobHooks hooks;
    private final PayloadRules rules;
    private final PayloadBuilder payloads;
    private final PayloadTimes times;
    private final LocalQueues queues;

    /**
     * @param redis opens the connection
     * @param registry the known jobs, whose annotations and parameters apply
     * @param hooks the middleware for a job that is fired by {@link #runNow}, and the listeners for it
     * @param config sizes, and how times are written
     * @param random the source of jids; used by many threads
     * @param namespace the namespace of the recurring jobs
     */
    public RedisRecurringJobs(
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            ClientConfig config,
            RandomGenerator random,
            String namespace) {
        this(redis, registry, hooks, config, random, namespace, LocalQueues.ALL);
    }

    /** @param queues those of which there are recurring jobs here */
    public RedisRecurringJobs(
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            ClientConfig config,
            RandomGenerator random,
            String namespace,
            LocalQueues queues) {
        this.queues = queues;
        this.connection = redis.open("jobs-recurring");
        this.cron = new RecurringJobStore(connection, redis.keys(), namespace);
        this.registry = registry;
        this.hooks = hooks;
        this.rules = new PayloadRules(config.maxPayload(), config.times());
        this.payloads = new PayloadBuilder(registry, random, config.times());
        this.times = config.times();
    }

    @Override
    public RecurringJob save(String name, Recurrence recurrence, JobCall call) {
        checkName(name);
        checkHasNoOptions(call);
        recurrence.schedule(); // before all else, since it may be wrong
        Instant now = cron.time();
        cron.save(name, recurrence, draft(recurrence, call, now), Map.of(), now);
        RecurringJob saved = cron.find(name)
                .orElseThrow(() -> new InvalidJobException(
                        "Recurring job " + PayloadRules.shown(name) + " was deleted right after it was saved"));
        RecurringDeclarations.warnOfRuby(saved, recurrence, saved.job(), registry);
        return saved;
    }

    @Override
    public boolean create(String name, Recurrence recurrence, JobCall call) {
        checkName(name);
        checkHasNoOptions(call);
        recurrence.schedule(); // before all else, since it may be wrong
        Instant now = cron.time();
        Payload draft = draft(recurrence, call, now);
        boolean created = cron.create(name, recurrence, draft, now);
        if (created) {
            RecurringDeclarations.warnOfRuby(
                    "Recurring job " + PayloadRules.shown(name), recurrence, String.valueOf(draft.name()), registry);
        }
        return created;
    }

    private Payload draft(Recurrence recurrence, JobCall call, Instant now) {
        Options options = recurrence.queue() == null ? Options.NONE : Options.NONE.queue(recurrence.queue());
        Payload draft = payloads.build(call, options, now);
        CheckedJob checked = rules.check(draft);
        Duplicates.checkHasNoLock(checked, "a recurring job", "let that one enqueue it");
        ArgumentSeal.checkNeedsNone(draft, "a recurring job");
        checkIsHere(checked);
        rules.finish(checked, now);
        return draft;
    }

    /**
     * The stored fields have no room for them.
     *
     * @throws InvalidJobException if a call has some
     */
    @Internal
    public static void checkHasNoOptions(JobCall call) {
        if (call.hasOptions()) {
            throw new InvalidJobException("The call of a recurring job can't have options: its queue is that of the"
                    + " recurrence, and all else is what the annotation of the job says");
        }
    }

    private static void checkName(String name) {
        if (!isName(name)) {
            throw new InvalidJobException("'name' must be 1 to 200 characters without control characters but was '"
                    + PayloadRules.shown(name) + "'");
        }
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches() && !name.isBlank();
    }

    @Override
    public List<RecurringJob> list() {
        return cron.snapshot().jobs();
    }

    @Override
    public List<DeclaredChanges> declaredChanges() {
        return cron.changes();
    }

    @Override
    public Optional<RecurringJob> find(String name) {
        return cron.find(name);
    }

    @Override
    public List<Instant> next(RecurringJob job, int count) {
        return job.next(cron.time(), count);
    }

    @Override
    public List<Run> history(String name) {
        return cron.history(name).stream().map(RedisRecurringJobs::run).toList();
    }

    private static Run run(byte[] entry) {
        try {
            Payload run = Payload.parse(entry);
            return new Run(run.jid(), RubyTime.parse(run.text("enqueued")));
        } catch (InvalidPayloadException e) {
            return new Run(null, null);
        }
    }

    @Override
    public boolean pause(String name) {
        return cron.enable(name, false, null);
    }

    @Override
    public boolean resume(String name) {
        RecurringJob job = cron.find(name).orElse(null);
        if (job == null) {
            return false;
        }
        CronSchedule schedule = job.schedule();
        return cron.enable(name, true, schedule == null ? null : schedule.begins(cron.time()));
    }

    @Override
    public @Nullable String runNow(String name) {
        for (int i = 0; i < MOST_ATTEMPTS; i++) {
            RecurringJob job = cron.find(name)
                    .orElseThrow(
                            () -> new InvalidJobException("There is no recurring job " + PayloadRules.shown(name)));
            Instant now = cron.time();
            CheckedJob checked = admit(job, now);
            if (checked == null) {
                return null;
            }
            ReadyJob ready = rules.finish(checked, now);
            switch (fire(job, now, ready)) {
                case OVERLAPS -> {
                    return null;
                }
                case DONE -> {
                    hooks.tell(listener -> listener.enqueued(ready.name(), ready.queue(), 1, false));
                    return ready.jid();
                }
                case WRONG_TYPE ->
                    throw new JobStoreException(
                            JobStoreException.Kind.WRONG_TYPE,
                            "The key of queue " + ready.queue() + ", or that of the slots of recurring job "
                                    + PayloadRules.shown(name) + ", holds another type than it should",
                            null);
                case TAKEN, CHANGED -> {
                    // it changed after it was read: start over
                }
            }
        }
        throw new InvalidJobException(
                "Recurring job " + PayloadRules.shown(name) + " keeps changing; it was not fired");
    }

    private Fired fire(RecurringJob job, Instant now, ReadyJob ready) {
        try {
            return cron.fire(job, null, now, new Push(ready.queue(), ready.payload(), ready.jid()));
        } catch (JobStoreException e) {
            throw new JobStoreException(
                    e.kind(),
                    "Could not fire recurring job " + PayloadRules.shown(job.name()) + ": " + e.getMessage(),
                    e.getCause());
        }
    }

    private @Nullable CheckedJob admit(RecurringJob job, Instant now) {
        Payload payload;
        try {
            payload = job.payload(payloads.jid(), now, times);
        } catch (InvalidPayloadException e) {
            throw new InvalidJobException(
                    "Recurring job " + PayloadRules.shown(job.name())
                            + " can't be fired: its stored fields don't make a job",
                    e);
        }
        Payload admitted = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), payload);
        if (admitted == null) {
            return null;
        }
        CheckedJob checked = rules.check(cron.locked(job, admitted.without("at")));
        checkIsHere(checked);
        return checked;
    }

    private void checkIsHere(CheckedJob job) {
        queues.checkIsHere(job, registry, "this recurring job", "save it with the RecurringJobs of that shard");
    }

    @Override
    public boolean delete(String name) {
        return cron.delete(name);
    }

    @Override
    public @Nullable String keep(String name) {
        String copy = payloads.jid();
        return cron.keep(name, copy) ? copy : null;
    }

    @Override
    public boolean restore(String name, String copy) {
        checkName(name);
        return cron.restore(name, copy, cron.time());
    }

    /** Closes the connection; every later call fails. */
    @Override
    public void close() {
        connection.close();
    }
}
