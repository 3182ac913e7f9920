package dev.jobs.engine;

import dev.jobs.BatchAudit;
import dev.jobs.BatchStatus;
import dev.jobs.JobStoreException;
import dev.jobs.redis.BatchAuditor;
import dev.jobs.redis.BatchKeys;
import dev.jobs.redis.BatchReader;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.RubyNotes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leader does for batches without being asked: applies the notes of Ruby's workers, audits batches that stand
 * still, and removes expired ones from the lists. In small steps. Confined to one thread.
 */
final class BatchUpkeep {

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

    private static final int MOST_WATCHED = 1_000;
    private static final int TRIMMED_TOGETHER = 100;

    private final RubyNotes notes;
    private final BatchReader reader;
    private final BatchKeys batchKeys;
    private final BatchAuditor auditor;
    private final RunContext context;

    /** A batch that has not changed since a moment, and how long it may do so before it is audited. */
    private record Still(BatchStatus status, long sinceNanos, Duration patience) {}

    private Map<String, Still> still = new HashMap<>();
    private @Nullable Long checkedNanos;

    private @Nullable String audited;
    private BatchAuditor.@Nullable Audit audit;
    private long nextStepNanos;

    private long trimmedUpTo;
    private String keysCursor = JobSets.FIRST_STEP;

    /** Whether a key of another type was logged. */
    private boolean troubled;

    BatchUpkeep(RubyNotes notes, BatchReader reader, BatchKeys batchKeys, BatchAuditor auditor, RunContext context) {
        this.notes = notes;
        this.reader = reader;
        this.batchKeys = batchKeys;
        this.auditor = auditor;
        this.context = context;
    }

    /** Does what is due. Returns how long until the next run. */
    Duration runOnce() {
        if (!context.lease().isLeader()) {
            still.clear();
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
                keysCursor = batchKeys.forgetSome(keysCursor);
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
            List<String> some = reader.oldest(trimmedUpTo, TRIMMED_TOGETHER);
            trimmedUpTo += some.size() - reader.forgetExpired(some);
            if (some.size() < TRIMMED_TOGETHER) {
                trimmedUpTo = 0;
                return;
            }
        }
    }

    /** Begins to audit one of the batches that have not changed for long. */
    private void watch() {
        Map<String, Still> now = new HashMap<>();
        List<Map.Entry<String, Still>> due = new ArrayList<>();
        reader.findAll(reader.open(0, MOST_WATCHED)).forEach((id, found) -> {
            Still before = still.get(id);
            Still stands = before != null && before.status().equals(found.status())
                    ? before
                    : new Still(found.status(), context.nanos(), AUDIT_AFTER);
            now.put(id, stands);
            if (context.nanos() - stands.sinceNanos() >= stands.patience().toNanos()) {
                due.add(Map.entry(id, stands));
            }
        });
        still = now;
        if (audit == null && !due.isEmpty()) {
            begin(due.get(0).getKey(), due.get(0).getValue());
        }
    }

    private void begin(String id, Still stands) {
        Duration longer = stands.patience().multipliedBy(2);
        still.put(id, new Still(stands.status(), context.nanos(), longer.compareTo(LONGEST) < 0 ? longer : LONGEST));
        audited = id;
        audit = auditor.begin(id).orElse(null);
        nextStepNanos = context.nanos();
    }
}
