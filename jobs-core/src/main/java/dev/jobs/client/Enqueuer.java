package dev.jobs.client;

import dev.jobs.BulkEndedException.State;
import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes drafts through middleware and rules, stores them, at once or after the caller's transaction, and notifies the
 * listeners. Thread-safe.
 */
@Internal
public final class Enqueuer implements AutoCloseable {

    /** Maximum slice of jobs that go to a sorted set, to which adding takes longer. */
    private static final int SORTED_SLICE = 100;

    private final JobStore store;
    private final JobHooks hooks;
    private final PayloadRules rules;
    private final Clock clock;
    private final JobRegistry registry;
    private final int bulkSlice;
    private final List<PayloadRule.Refusals> refusals;
    private final EnqueueEvents events;

    /** @param bulkSlice maximum number of jobs of one push */
    public Enqueuer(
            JobStore store, JobHooks hooks, PayloadRules rules, Clock clock, JobRegistry registry, int bulkSlice) {
        this.store = store;
        this.hooks = hooks;
        this.rules = rules;
        this.clock = clock;
        this.registry = registry;
        this.bulkSlice = bulkSlice;
        this.refusals = rules.refusals(clock);
        this.events = new EnqueueEvents(hooks);
    }

    public Instant now() {
        return clock.instant();
    }

    /** How many jobs a push to the place of this one has at most; fewer if they are large. */
    public int pushJobs(ReadyJob job) {
        return pushJobs(job.at() != null || store.isSorted(job.queue()));
    }

    private int pushJobs(boolean sorted) {
        return sorted ? Math.min(bulkSlice, SORTED_SLICE) : bulkSlice;
    }

    /** Where jobs are stored; {@link #send} stores them and tells of them. */
    public JobStore store() {
        return store;
    }

    /** Tells listeners what was stored past {@link #send}. */
    public EnqueueEvents events() {
        return events;
    }

    /** The jobs that the client knows. */
    public JobRegistry registry() {
        return registry;
    }

    /**
     * Stores one job and returns its jid; null if a middleware or a check kept it from being stored.
     *
     * @param transaction for whose end it waits
     * @throws dev.jobs.JobsException if a check refused the job, and that is an error
     */
    public @Nullable String enqueue(Payload draft, WaitingJobs.OfCaller transaction) {
        return inCall(null, call -> {
            CheckedJob checked = admit(draft, call);
            if (checked == null) {
                return null;
            }
            ReadyJob job = finish(checked, now()); // also refuses a job that is too large
            WaitingJobs waiting = transaction.get();
            if (waiting != null) {
                waiting.add(List.of(checked));
                return job.jid();
            }
            JobPushes.Sent sent = send(List.of(job));
            try {
                PushAnswers answers = sent.await();
                if (answers.isStored(0)) {
                    return job.jid();
                }
                JobDefinition known = registry.find(draft.name()).orElse(null);
                refusals.forEach(each -> each.failCall(draft, job, answers, known));
                return null;
            } finally {
                sent.giveUp();
            }
        });
    }

    /**
     * Stores a job for each element and returns their jids, as {@link #enqueue} does.
     *
     * @param transaction for whose end they wait
     */
    public List<@Nullable String> enqueueAll(
            Iterable<? extends List<? extends @Nullable Object>> elements,
            PayloadBuilder.OfEach payloads,
            Options options,
            WaitingJobs.OfCaller transaction) {
        Instant now = now();
        int slice = pushJobs(options.mayBeDueLater(now));
        WaitingJobs waiting = transaction.get();
        List<Instant> times = options.each();
        return inCall(null, followed -> {
            BulkCall call = new BulkCall(this, followed, slice, waiting);
            if (times == null) {
                return call.run(elements, element -> payloads.build(element, options, now));
            }
            BulkCall.TimeOfEach<List<? extends @Nullable Object>> timed = new BulkCall.TimeOfEach<>(elements, times);
            return call.run(timed, element -> payloads.build(element, options.at(timed.time()), now));
        });
    }

    /**
     * Lets middleware follow a call.
     *
     * @param batch the id of the batch that it fills; null outside batches
     */
    public EnqueueCall begin(@Nullable String batch) {
        return hooks.begin(batch);
    }

    /** Runs a whole call, which middleware follows. */
    public <T extends @Nullable Object> T inCall(@Nullable String batch, Function<EnqueueCall, T> body) {
        EnqueueCall call = begin(batch);
        T result;
        try {
            result = body.apply(call);
        } catch (Throwable e) {
            call.end(e);
            throw e;
        }
        call.end(null);
        return result;
    }

    /** Applies middleware and rules to a draft; null if a middleware kept it from being stored. */
    @Nullable public CheckedJob admit(Payload draft, EnqueueCall call) {
        Payload payload = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), call.add(draft));
        if (payload == null) {
            return null;
        }
        CheckedJob job = rules.check(payload).sealed(registry);
        return job.with(store.checks(job.payload(), registry, clock));
    }

    public List<EnqueueMiddleware> middleware() {
        return hooks.enqueueMiddleware();
    }

    /** A payload that goes to its queue now. */
    public Payload stamped(Payload payload) {
        return rules.stamped(payload, now());
    }

    /**
     * Opens the connection, and makes a payload of a draft, which loads most of the classes that the first job needs.
     * Stores nothing, and calls no middleware.
     *
     * @throws JobStoreException if a server can't be reached
     */
    public void warmUp(Payload draft) {
        store.open();
        rules.finish(rules.check(draft).sealed(registry), now());
    }

    /** Applies the rules to a draft that is stored without checks, and no middleware but what follows the call. */
    public CheckedJob check(Payload draft, EnqueueCall call) {
        return rules.check(call.add(draft)).sealed(registry);
    }

    public ReadyJob finish(CheckedJob job, Instant now) {
        return rules.finish(job, now);
    }

    /** The same for a job whose size was checked before. */
    public ReadyJob finishOfAnySize(CheckedJob job) {
        return rules.finishOfAnySize(job, now());
    }

    /** Sends jobs that all go to one queue, or all to the scheduled set; at most 1,000. */
    public JobPushes.Sent send(List<ReadyJob> jobs) {
        return storing(jobs, () -> new TellingPush(jobs, store.send(jobs)));
    }

    /** A push that tells listeners of each job once it is stored. */
    private final class TellingPush implements JobPushes.Sent {

        private final List<ReadyJob> jobs;
        private final JobPushes.Sent sent;

        /** Those of which listeners were told before all were stored. */
        private final BitSet told = new BitSet();

        TellingPush(List<ReadyJob> jobs, JobPushes.Sent sent) {
            this.jobs = jobs;
            this.sent = sent;
        }

        @Override
        public PushAnswers await() {
            return completed(sent::await);
        }

        @Override
        public PushAnswers repeat(Duration atMost) {
            return completed(() -> sent.repeat(atMost));
        }

        private PushAnswers completed(Supplier<PushAnswers> step) {
            PushAnswers answers;
            try {
                answers = storing(jobs, step);
            } catch (JobStoreException e) {
                events.failed(jobs, sent, told);
                throw e;
            }
            if (!answers.refused().isEmpty()) {
                refusals.forEach(each -> each.tell(jobs, answers, hooks));
            }
            events.succeeded(jobs, answers, told);
            sent.told();
            return answers;
        }

        @Override
        public boolean mayBeStored() {
            return sent.mayBeStored();
        }

        @Override
        public State state(int index) {
            return sent.state(index);
        }

        @Override
        public void giveUp() {
            sent.giveUp();
        }
    }

    private static <T> T storing(List<ReadyJob> jobs, Supplier<T> step) {
        try {
            return step.get();
        } catch (JobStoreException e) {
            throw new JobStoreException(
                    e.kind(), "Could not enqueue " + named(jobs) + ": " + e.getMessage(), e.getCause(), e.mayHaveRun());
        }
    }

    private static String named(List<ReadyJob> jobs) {
        ReadyJob first = jobs.get(0);
        String name = PayloadRules.shown(first.name());
        return jobs.size() == 1
                ? "job " + name + " (jid " + PayloadRules.shown(first.jid()) + ", queue " + first.queue() + ")"
                : jobs.size() + " jobs " + name + " (queue " + first.queue() + ")";
    }

    @Override
    public void close() {
        refusals.forEach(PayloadRule.Refusals::close);
        store.close();
    }
}
