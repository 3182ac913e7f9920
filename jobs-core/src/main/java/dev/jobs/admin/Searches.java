package dev.jobs.admin;

import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.redis.CallLimits.Portion;
import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobSets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** Looks for jobs, step by step and no further than the budget goes. */
final class Searches {

    private static final int MOST_TEXT = 200;
    private static final int MOST_FOUND = 1_000;

    private final JobQueues queues;
    private final JobSets sets;

    Searches(JobQueues queues, JobSets sets) {
        this.queues = queues;
        this.sets = sets;
    }

    ScanResult text(JobSet set, String text, int limit, ScanBudget budget) {
        check("text", text);
        return through(set, text, record -> true, limit, budget);
    }

    /** Jobs with that id, of which there may be several: anybody can push the same twice. */
    ScanResult jid(JobSet set, String jid, ScanBudget budget) {
        check("jid", jid);
        String quoted;
        try {
            quoted = new String(JsonText.encode(jid), StandardCharsets.UTF_8);
        } catch (JsonException e) {
            return new ScanResult(List.of(), false); // no JSON text can hold it, so no job has it
        }
        return through(set, quoted, record -> Objects.equals(record.jid(), jid), MOST_FOUND, budget);
    }

    private ScanResult through(JobSet set, String text, Predicate<JobRecord> wanted, int limit, ScanBudget budget) {
        checkLimit(limit);
        Set<JobRecord> found = new LinkedHashSet<>();
        BudgetedScan scan = new BudgetedScan(budget);
        JobSets.Step step;
        String cursor = JobSets.FIRST_STEP;
        do {
            int count = scan.next();
            step = sets.scan(set.stored(), cursor, text, count);
            scan.spent(count, Math.max(step.looked(), step.found().size()));
            cursor = step.cursor();
            for (JobSets.Entry entry : step.found()) {
                JobRecord record = JobRecord.inSet(set, entry.payload(), entry.score());
                if (found.size() <= limit && wanted.test(record)) {
                    found.add(record);
                }
            }
        } while (!step.last() && found.size() <= limit && scan.lasts());
        boolean partial = !step.last() || found.size() > limit;
        Comparator<JobRecord> soonestFirst = Comparator.comparingDouble(JobRecord::score);
        return new ScanResult(
                found.stream()
                        .limit(limit)
                        .sorted(set == JobSet.DEAD ? soonestFirst.reversed() : soonestFirst)
                        .toList(),
                partial);
    }

    ScanResult score(JobSet set, double score, Predicate<JobRecord> wanted, ScanBudget budget) {
        if (Double.isNaN(score)) {
            throw new IllegalArgumentException("'score' must be a number");
        }
        List<JobRecord> found = new ArrayList<>();
        BudgetedScan scan = new BudgetedScan(budget);
        long seen = 0;
        boolean more;
        do {
            int count = scan.next();
            Portion<JobSets.Entry> page = sets.someBetween(set.stored(), score, score, seen, count);
            for (JobSets.Entry entry : page.items()) {
                JobRecord record = JobRecord.inSet(set, entry.payload(), entry.score());
                if (wanted.test(record)) {
                    found.add(record);
                }
            }
            seen += page.items().size();
            scan.spent(count, page.items().size());
            more = page.more() || page.items().size() == count;
        } while (more && found.size() < MOST_FOUND && scan.lasts());
        return new ScanResult(found, more);
    }

    ScanResult queue(String queue, String text, int limit, ScanBudget budget) {
        checkLimit(limit);
        check("text", text);
        Set<JobRecord> found =
                new LinkedHashSet<>(); // while it is read, pushes shift a job to a place that comes later
        BudgetedScan scan = new BudgetedScan(budget);
        long seen = 0;
        boolean more;
        do {
            int count = scan.next();
            Portion<byte[]> page = queues.someNewest(queue, seen, count);
            for (byte[] stored : page.items()) {
                JobRecord record = JobRecord.inQueue(queue, stored);
                if (found.size() <= limit && record.contains(text)) {
                    found.add(record);
                }
            }
            seen += page.items().size();
            scan.spent(count, page.items().size());
            more = page.more() || page.items().size() == count;
        } while (more && found.size() <= limit && scan.lasts());
        boolean partial = more || found.size() > limit;
        return new ScanResult(found.stream().limit(limit).toList(), partial);
    }

    private static void check(String name, String text) {
        if (text.isEmpty() || text.length() > MOST_TEXT) {
            throw new IllegalArgumentException(
                    "'" + name + "' must have 1 to " + MOST_TEXT + " characters but had " + text.length());
        }
    }

    private static void checkLimit(int limit) {
        if (limit < 1 || limit > MOST_FOUND) {
            throw new IllegalArgumentException("'limit' must be 1 to " + MOST_FOUND + " but was " + limit);
        }
    }
}
