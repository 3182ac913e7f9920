package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchWatch.Watched;
import dev.jobs.engine.RunContext;
import dev.jobs.lists.EntryReader;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leader does for batches without being asked: applies the notes of Ruby's workers, audits batches that stand
 * still, notes those that want a look although no note says so, and removes expired ones from the lists. In small
 * steps, so that it takes no more memory and time at once however many batches there are and however large their
 * callbacks. Confined to one thread.
 */
@Internal
public final class BatchUpkeep {

    private static final Logger log = LoggerFactory.getLogger(BatchUpkeep.class);

    /** What reports of an outage call it. */
    private static final String DUTY = "batch upkeep";

    /** How long a batch stands still before it is audited; twice as long before the next time, up to a day. */
    static final Duration AUDIT_AFTER = Duration.ofHours(1);

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration EACH = Duration.ofSeconds(1);
    private static final Duration CHECKED_EACH = Duration.ofMinutes(1);

    /** How many calls one run makes at most for each of the tasks. */
    private static final int STEPS = 20;

    /** How many unfinished batches one look watches. With more of them, each is watched every few looks. */
    private static final int WATCHED_EACH = 1_000;

    /** How many unfinished batches it remembers, about 200 bytes for each. Others are watched, but not audited. */
    private static final int MOST_REMEMBERED = 100_000;

    private final RubyNotes notes;
    private final BatchReader reader;
    private final BatchWatch watch;
    private final KeyedBatches keyed;
    private final BatchAuditor auditor;
    private final RunContext context;

    /** A batch that has not changed since a moment, and how long it may do so before it is audited. */
    private record Still(String counters, long sinceNanos, Duration patience) {}

    private Map<String, Still> still = new HashMap<>();

    /** Of those that were watched in this walk through all of them, which goes on at the position. */
    private Map<String, Still> walked = new HashMap<>();

    private long watchedUpTo;
    private @Nullable Long checkedNanos;

    private @Nullable String audited;
    private BatchAuditor.@Nullable Audit audit;
    private long nextStepNanos;

    private long trimmedUpTo;
    private String keysCursor = EntryReader.FIRST;

    /** Whether a key of another type was logged. */
    private boolean troubled;

    public BatchUpkeep(RedisConnection connection, RedisKeys keys, RunContext context) {
        this.notes = new RubyNotes(connection, keys);
        this.reader = new BatchReader(connection, keys);
        this.watch = new BatchWatch(connection, keys);
        this.keyed = new KeyedBatches(connection, keys);
        this.auditor = new BatchAuditor(connection, keys);
        this.context = context;
    }

    /** Does what is due. Returns how long until the next run. */
    public Duration runOnce() {
        if (!context.lease().isLeader()) {
            still.clear();
            walked.clear();
            watchedUpTo = 0;
            audit = null;
            context.outage().worked(DUTY); // another process may have become leader in an outage
            return EACH;
        }
        try {
            boolean more = applyNotes();
            more |= goOn();
            Long checked = checkedNanos;
            if (checked == null || context.nanos() - checked >= CHECKED_EACH.toNanos()) {
                checkedNanos = context.nanos();
                trim();
                watch();
                keysCursor = keyed.forgetSome(keysCursor);
            }
            context.outage().worked(DUTY);
            return more ? Duration.ZERO : EACH;
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                context.outage().failed(DUTY, e);
                return EACH;
            }
            context.outage().worked(DUTY); // Redis answered
            if (!troubled) {
                troubled = true;
                log.warn("Batches are neither audited nor trimmed at present: {}. This is logged once", e.getMessage());
            }
            return EACH;
        }
    }

    /** Returns whether there may be more. */
    private boolean applyNotes() {
        for (int step = 0; step < STEPS; step++) {
            if (notes.applySome() == 0) {
                return false;
            }
        }
        return true;
    }

    /** Goes on with the audit under way. Returns whether to do so at once. */
    private boolean goOn() {
        BatchAuditor.Audit current = audit;
        for (int step = 0; current != null && step < STEPS && context.nanos() - nextStepNanos >= 0; step++) {
            Duration pause = current.step();
            if (pause == null) {
                audit = null;
                tell(current.result());
                return false;
            }
            nextStepNanos = context.nanos() + pause.toNanos();
        }
        return current != null && context.nanos() - nextStepNanos >= 0;
    }

    private void tell(BatchAudit result) {
        if (result.lost() + result.dead() + result.corrected() > 0) {
            log.warn("Batch {} stood still and was audited: {}", audited, result);
        }
    }

    /** Removes some expired batches from the lists; each run goes on where the one before ended. */
    private void trim() {
        for (int step = 0; step < STEPS; step++) {
            List<Watched> some = look(reader.oldest(trimmedUpTo, BatchWatch.TOGETHER));
            trimmedUpTo += some.size() - some.stream().filter(Watched::isGone).count();
            if (some.size() < BatchWatch.TOGETHER) {
                trimmedUpTo = 0;
                return;
            }
        }
    }

    private List<Watched> look(List<String> ids) {
        List<Watched> some = watch.look(ids);
        some.stream()
                .filter(Watched::isNoted)
                .forEach(each -> log.info("Batch {} waited for a look that nothing asked for", each.id()));
        return some;
    }

    /** Watches some of the unfinished batches, and begins to audit one of those that have not changed for long. */
    private void watch() {
        Watched due = null;
        for (int left = WATCHED_EACH; left > 0; left -= BatchWatch.TOGETHER) {
            List<Watched> some = look(reader.open(watchedUpTo, BatchWatch.TOGETHER));
            for (Watched each : some) {
                if (!each.isGone() && isDue(each) && due == null) {
                    due = each;
                }
            }
            watchedUpTo += some.size() - some.stream().filter(Watched::isGone).count();
            if (some.size() < BatchWatch.TOGETHER) {
                still = walked;
                walked = new HashMap<>();
                watchedUpTo = 0;
                break;
            }
        }
        if (audit == null && due != null) {
            begin(due.id());
        }
    }

    /** Remembers a batch. Returns whether it has not changed for longer than patience lasts. */
    private boolean isDue(Watched batch) {
        Still before = still.get(batch.id());
        Still stands = before != null && before.counters().equals(batch.counters())
                ? before
                : new Still(batch.counters(), context.nanos(), AUDIT_AFTER);
        if (walked.size() >= MOST_REMEMBERED) {
            return false;
        }
        walked.put(batch.id(), stands);
        return context.nanos() - stands.sinceNanos() >= stands.patience().toNanos();
    }

    private void begin(String id) {
        Map<String, Still> remembered = walked.containsKey(id) ? walked : still;
        remembered.computeIfPresent(id, (same, stands) -> {
            Duration longer = stands.patience().multipliedBy(2);
            return new Still(stands.counters(), context.nanos(), longer.compareTo(LONGEST) < 0 ? longer : LONGEST);
        });
        audited = id;
        audit = auditor.begin(id).orElse(null);
        nextStepNanos = context.nanos();
    }
}
