package dev.jobs.client;

import dev.jobs.DuplicateJobException;
import dev.jobs.UniqueRule;
import dev.jobs.redis.JobLocks;
import dev.jobs.redis.PushAnswers;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What callers learn of jobs that were not stored because other jobs hold their locks. */
final class Duplicates {

    private static final Logger log = LoggerFactory.getLogger(Duplicates.class);

    private Duplicates() {}

    /** Logs one line for the duplicates of a push, which may be many. */
    static void log(List<ReadyJob> jobs, PushAnswers answers) {
        List<Integer> refused = answers.refused().entrySet().stream()
                .filter(entry -> entry.getValue().startsWith(JobLocks.REFUSED))
                .map(Map.Entry::getKey)
                .toList();
        if (refused.isEmpty()) {
            return;
        }
        int first = refused.get(0);
        String job = told(jobs.get(first), holder(answers, first));
        if (refused.size() == 1) {
            log.info("{}", job);
        } else {
            log.info(
                    "{} of {} jobs are duplicates and not stored; the first one: {}", refused.size(), jobs.size(), job);
        }
    }

    /** @throws DuplicateJobException if the only job of a push is a duplicate */
    static void refuse(ReadyJob job, PushAnswers answers) {
        String reason = answers.refused().get(0);
        if (reason != null && reason.startsWith(JobLocks.REFUSED)) {
            String holder = holder(answers, 0);
            throw new DuplicateJobException(told(job, holder), holder);
        }
    }

    private static String holder(PushAnswers answers, int index) {
        return String.valueOf(answers.refused().get(index)).substring(JobLocks.REFUSED.length());
    }

    private static String told(ReadyJob job, String holder) {
        return "Job " + PayloadRules.shown(job.name()) + " (jid " + PayloadRules.shown(job.jid())
                + ") is a duplicate and not stored: job " + PayloadRules.shown(holder) + " holds its lock";
    }

    /**
     * Refuses a unique job where jobs are stored without asking for locks: its lock would be nobody's.
     *
     * @param instead what the caller can do
     * @throws dev.jobs.InvalidJobException if the job is unique
     */
    static void checkHasNoLock(CheckedJob job, String where, String instead) {
        if (job.payload().has(UniqueRule.LOCK)) {
            throw PayloadRules.refused(
                    job.name(),
                    "it is unique, and " + where + " stores jobs without asking for locks; " + instead,
                    null);
        }
    }
}
