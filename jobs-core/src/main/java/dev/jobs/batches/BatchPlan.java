package dev.jobs.batches;

import dev.jobs.EnqueueCall;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.Created;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ReadyJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A batch that is being created, with its children and next batches. Used by one thread at a time. */
final class BatchPlan implements BatchBuilder {

    private static final Logger log = LoggerFactory.getLogger(BatchPlan.class);

    private static final int MOST_NAME = 200;
    private static final int MOST_DESCRIPTION = 1_000;
    private static final int MOST_TAGS = 20;
    private static final int MOST_TAG = 100;

    /** Each costs the commit some 15 commands, in one script. */
    private static final int MOST_BATCHES = 500;

    private final BatchStorage storage;
    private final BatchStore store;
    private final EnqueueCall call;
    private final Lead lead;
    private final String id;
    private final String name;
    private final String parent;
    private final String previous;
    private final boolean staged;
    private final BatchFill fill;
    private final AtomicInteger together;
    private final List<BatchPlan> children = new ArrayList<>();
    private final Map<BatchEvent, byte[]> callbacks = new EnumMap<>(BatchEvent.class);
    private @Nullable BatchPlan next;
    private String description = "";
    private List<String> tags = List.of();
    private String owner = "";
    private boolean toleratesFailures;
    private boolean toleratesSkipped;
    private boolean keepsResults;
    private Duration kept = Duration.ZERO;
    private long size;

    /**
     * @param call the call that creates the batch
     * @param parent the id of the batch that waits for this one; empty if there is none
     * @param previous the id of the batch that must succeed first; empty if there is none
     * @param staged whether no job runs before the commit
     */
    BatchPlan(
            BatchStorage storage,
            EnqueueCall call,
            Lead lead,
            String name,
            String parent,
            String previous,
            boolean staged) {
        this(storage, call, lead, name, parent, previous, staged, new AtomicInteger());
    }

    /** @param together how many children and next batches the commit has so far besides the first one */
    private BatchPlan(
            BatchStorage storage,
            EnqueueCall call,
            Lead lead,
            String name,
            String parent,
            String previous,
            boolean staged,
            AtomicInteger together) {
        if (name.isBlank() || name.length() > MOST_NAME) {
            throw new InvalidJobException("The name of a batch must have 1 to " + MOST_NAME + " characters but was '"
                    + PayloadRules.shown(name) + "'");
        }
        this.storage = storage;
        this.store = storage.store();
        this.call = call;
        this.lead = lead;
        this.id = lead.id();
        this.name = name;
        this.parent = parent;
        this.previous = previous;
        this.staged = staged;
        this.together = together;
        this.fill = new BatchFill(storage, id, call, staged);
    }

    String id() {
        return id;
    }

    BatchFill fill() {
        return fill;
    }

    /**
     * Fills and commits the batch, all or nothing. Does nothing if all of it is there already.
     *
     * @param created what {@link #begin} returned
     * @return what was committed: this batch, its children and next ones; empty if nothing had to be done
     */
    List<Complete> create(Created created, Consumer<BatchBuilder> content) {
        if (created == Created.COMMITTED) {
            return List.of();
        }
        try {
            fill(content);
            store.commit(complete());
        } catch (RuntimeException | Error e) {
            if (isLeft(created, e) || discard(e)) {
                throw e;
            }
        }
        return complete();
    }

    /**
     * Fills the batch for a {@link #commit} that comes later; until then none of its jobs runs. An exception leaves
     * nothing.
     */
    void prepare(Created created, Consumer<BatchBuilder> content) {
        try {
            fill(content);
        } catch (RuntimeException | Error e) {
            if (!isLeft(created, e)) {
                discard(e);
            }
            throw e;
        }
    }

    /** Whether another call may still commit what this one could not. */
    private static boolean isLeft(Created created, Throwable failure) {
        return created == Created.UNCOMMITTED && !(failure instanceof BatchEndedException);
    }

    /**
     * Commits what was prepared, all or nothing. May be repeated.
     *
     * @return what was committed: this batch, its children and next ones
     */
    List<Complete> commit() {
        List<Complete> all = complete();
        store.commit(all);
        return all;
    }

    /** The {@link #commit} of what was prepared, for an outbox. */
    byte[] kept() {
        return KeptCommit.write(complete());
    }

    /** Removes what was prepared. */
    void discard() {
        RuntimeException failure = new IllegalStateException();
        discard(failure);
        for (Throwable each : failure.getSuppressed()) {
            log.debug("Batch {} is left and expires within a day", id, each);
        }
    }

    Created begin() {
        Created created = store.create(lead, definition(), staged);
        if (created != Created.ELSEWHERE) {
            try {
                storage.begun(id, name);
            } catch (RuntimeException | Error e) {
                if (created == Created.NEW) {
                    discard(e);
                }
                throw e;
            }
        }
        return created;
    }

    private void fill(Consumer<BatchBuilder> content) {
        content.accept(this);
        fill.flush();
        store.define(id, definition());
    }

    private List<Complete> complete() {
        List<Complete> all = new ArrayList<>();
        all.add(new Complete(id, definition(), staged, fill.queues()));
        children.forEach(child -> all.addAll(child.complete()));
        if (next != null) {
            all.addAll(next.complete());
        }
        return all;
    }

    /** Removes what was stored. Returns false if all of it is committed, by a call whose answer was lost. */
    private boolean discard(Throwable reason) {
        try {
            for (Complete batch : complete()) {
                if (!store.discard(batch.id(), batch.stagedQueues())) {
                    return !(reason instanceof JobStoreException);
                }
            }
        } catch (RuntimeException e) {
            reason.addSuppressed(e); // what is left expires within a day
        }
        return true;
    }

    BatchDefinition definition() {
        return new BatchDefinition(
                name,
                description,
                tags,
                owner,
                parent,
                previous,
                next == null ? "" : next.id,
                toleratesFailures,
                toleratesSkipped,
                keepsResults,
                kept.toSeconds(),
                storage.journal() != null,
                callbacks,
                fill.queues());
    }

    @Override
    public BatchPlan add(JobCall job) {
        fill.add(size, job, keepsResults);
        size++;
        return this;
    }

    @Override
    public BatchPlan child(String childName, Consumer<BatchBuilder> content) {
        if (!previous.isEmpty()) { // else the child would begin before this batch
            throw new InvalidJobException("Batch '" + PayloadRules.shown(name)
                    + "' waits for another one, so it can't have the child '" + PayloadRules.shown(childName)
                    + "' yet; let one of its jobs add it, with JobBatch.child");
        }
        BatchPlan child = new BatchPlan(
                storage, call, Lead.none(BatchIds.ofChild(id, children.size())), childName, id, "", true, oneMore());
        children.add(child);
        child.begin();
        child.fill(content);
        return this;
    }

    private AtomicInteger oneMore() {
        if (together.get() >= MOST_BATCHES) {
            throw new InvalidJobException("A batch is created with at most " + MOST_BATCHES
                    + " children and next batches, all levels together; its jobs can add more, with JobBatch.child");
        }
        together.incrementAndGet();
        return together;
    }

    @Override
    public BatchPlan then(String nextName, Consumer<BatchBuilder> content) {
        if (next != null) {
            throw new InvalidJobException("Batch '" + PayloadRules.shown(name) + "' has a next batch already, '"
                    + PayloadRules.shown(next.name) + "'; give that one the following batch");
        }
        BatchPlan following =
                new BatchPlan(storage, call, Lead.none(BatchIds.ofNext(id)), nextName, parent, id, true, oneMore());
        next = following;
        following.begin();
        following.fill(content);
        return this;
    }

    @Override
    public BatchPlan describe(String text) {
        description = bounded("description", text, MOST_DESCRIPTION);
        return this;
    }

    @Override
    public BatchPlan tags(String... labels) {
        if (labels.length > MOST_TAGS) {
            throw new InvalidJobException("A batch has at most " + MOST_TAGS + " tags but got " + labels.length);
        }
        tags = Arrays.stream(labels).map(tag -> bounded("tag", tag, MOST_TAG)).toList();
        return this;
    }

    @Override
    public BatchPlan createdBy(String who) {
        owner = bounded("owner", who, MOST_NAME);
        return this;
    }

    private static String bounded(String what, String text, int most) {
        Objects.requireNonNull(text, () -> "The " + what + " of a batch must not be null");
        if (text.length() > most || text.indexOf('\n') >= 0 && what.equals("tag")) {
            throw new InvalidJobException("The " + what + " of a batch must have at most " + most
                    + " characters" + (what.equals("tag") ? " on one line" : "") + " but was '"
                    + PayloadRules.shown(text) + "'");
        }
        return text;
    }

    @Override
    public BatchPlan tolerateFailures() {
        toleratesFailures = true;
        return this;
    }

    @Override
    public BatchPlan tolerateSkipped() {
        toleratesSkipped = true;
        return this;
    }

    @Override
    public BatchPlan keepResults() {
        if (size > 0) {
            throw new InvalidJobException("keepResults() must come before the batch's first job");
        }
        keepsResults = true;
        return this;
    }

    @Override
    public BatchPlan keepFor(Duration time) {
        if (time.compareTo(Duration.ofMinutes(1)) < 0 || time.compareTo(Duration.ofDays(3_650)) > 0) {
            throw new InvalidJobException("A batch is kept for 1 minute to 3,650 days but was to be kept for " + time);
        }
        kept = time;
        return this;
    }

    @Override
    public BatchPlan on(BatchEvent event, JobCall callback) {
        BatchJobId batchJob = new BatchJobId(id, BatchJobId.FIRST_CALLBACK + event.ordinal() + 1);
        ReadyJob job = fill.prepareCallback(batchJob, callback);
        if (callbacks.putIfAbsent(event, job.payload()) != null) {
            throw new InvalidJobException(
                    "Batch '" + PayloadRules.shown(name) + "' has a callback for " + event + " already");
        }
        return this;
    }
}
