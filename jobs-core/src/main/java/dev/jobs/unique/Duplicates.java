package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ReadyJob;
import dev.jobs.store.PushAnswers;
import dev.jobs.unique.Unique.OnConflict;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What callers learn of jobs that were not stored because other jobs hold their locks. */
@Internal
public final class Duplicates implements PayloadRule.Refusals {

    private final DuplicateLines lines;

    Duplicates(Clock clock) {
        this.lines = lines(clock);
    }

    /** The lines about the duplicates of one client. */
    static DuplicateLines lines(Clock clock) {
        return new DuplicateLines(LoggerFactory.getLogger(Duplicates.class), clock);
    }

    /** Logs one line at most for the duplicates of a push, which may be many, and tells the listeners. */
    @Override
    public void tell(List<ReadyJob> jobs, PushAnswers answers, JobHooks hooks) {
        List<Integer> refused = answers.refused().entrySet().stream()
                .filter(entry -> isDuplicate(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        if (refused.isEmpty()) {
            return;
        }
        log(jobs, answers, refused);
        Map<Kind, List<Integer>> kinds = new LinkedHashMap<>();
        for (int index : refused) {
            ReadyJob job = jobs.get(index);
            kinds.computeIfAbsent(new Kind(job.name(), job.queue()), kind -> new ArrayList<>())
                    .add(index);
        }
        kinds.forEach((kind, some) -> {
            String holder = holder(String.valueOf(answers.refused().get(some.get(0))));
            hooks.tell(listener -> listener.duplicates(kind.name(), kind.queue(), some.size(), holder));
        });
    }

    private record Kind(String name, String queue) {}

    private void log(List<ReadyJob> jobs, PushAnswers answers, List<Integer> refused) {
        int index = refused.get(0);
        ReadyJob first = jobs.get(index);
        String told = told(first, answers, index);
        String name = PayloadRules.shown(first.name());
        if (refused.size() == 1) {
            lines.refused(lock(first), name, 1, told);
        } else { // of several locks, perhaps
            lines.refused(
                    first.name(),
                    name,
                    refused.size(),
                    refused.size() + " of " + jobs.size() + " jobs are duplicates and not stored; the first one: "
                            + told);
        }
    }

    /** The key of the lock, which is the first key of each check that asks for one. */
    private static String lock(ReadyJob job) {
        return job.checks().stream()
                .map(check -> new String(check.keys().get(0), UTF_8))
                .collect(Collectors.joining(" "));
    }

    /**
     * {@inheritDoc}
     *
     * @throws DuplicateJobException if a lock refused the job and that is an error then
     */
    @Override
    public void failCall(Payload draft, ReadyJob job, PushAnswers answers, @Nullable JobDefinition known) {
        String reason = answers.refused().get(0);
        OnConflict onConflict = onConflict(draft, known);
        if (reason != null
                && isDuplicate(reason)
                && (onConflict == OnConflict.ERROR || onConflict == OnConflict.REPLACE)) {
            throw new DuplicateJobException(told(job, answers, 0), holder(reason));
        }
    }

    private static OnConflict onConflict(Payload draft, @Nullable JobDefinition known) {
        if (draft.has(UniqueRule.CONFLICT)) {
            JobLock lock = JobLock.of(draft);
            return lock == null ? OnConflict.SKIP : lock.onConflict();
        }
        UniqueRule rule = known == null ? null : known.rule(UniqueRule.class);
        return rule == null ? OnConflict.SKIP : rule.onConflict();
    }

    @Override
    public void close() {
        lines.close();
    }

    private static boolean isDuplicate(String reason) {
        return reason.startsWith(JobLocks.REFUSED) || reason.startsWith(JobLocks.BURIED);
    }

    private static String holder(String reason) {
        return reason.substring(reason.indexOf(':') + 1);
    }

    private static String told(ReadyJob job, PushAnswers answers, int index) {
        String reason = String.valueOf(answers.refused().get(index));
        boolean replaces = job.checks().stream().anyMatch(check -> check.kind().equals("replace"));
        return "Job " + PayloadRules.shown(job.name()) + " (jid " + PayloadRules.shown(job.jid())
                + ") is a duplicate and "
                + (reason.startsWith(JobLocks.BURIED) ? "went to the dead set" : "not stored") + ": job "
                + PayloadRules.shown(holder(reason)) + " holds its lock"
                + (replaces ? " and has begun, so it can't be replaced" : "");
    }

    /**
     * Refuses a unique or debounced job where jobs are stored without asking for locks: its lock would be nobody's.
     *
     * @param instead what the caller can do
     * @throws dev.jobs.InvalidJobException if it is
     */
    public static void checkHasNoLock(CheckedJob job, String where, String instead) {
        boolean unique = job.payload().has(UniqueRule.LOCK);
        if (unique || job.payload().has(Debounce.KEY)) {
            throw PayloadRules.refused(
                    job.name(),
                    "it is " + (unique ? "unique" : "debounced") + ", and " + where
                            + " stores jobs without asking for locks; " + instead,
                    null);
        }
    }
}
