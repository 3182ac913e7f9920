package dev.jobs.batches;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The jobs of a batch that failed, were given up, or wait for a retry, grouped by their last messages.
 *
 * @param groups the largest first, at most 50
 * @param looked jobs that were looked at
 * @param total jobs that should be looked at, by the counters of the batch
 * @param partial whether groups or jobs are missing, because there were too many or the budget was used up
 */
public record BatchFailures(List<Group> groups, long looked, long total, boolean partial) {

    /** The states of these jobs. */
    static final Set<BatchJobState> STATES = Set.of(
            BatchJobState.FAILED,
            BatchJobState.DEAD,
            BatchJobState.DISCARDED,
            BatchJobState.LOST,
            BatchJobState.RETRYING,
            BatchJobState.WORKING_AGAIN);

    public BatchFailures {
        groups = List.copyOf(groups);
    }

    /**
     * Jobs with the same last message, apart from the numbers in it.
     *
     * @param message the message, or if the jobs have different numbers in it, the same with … for each; empty if they
     *     have none
     * @param retried how many of them will be tried again
     * @param sample one of them
     */
    public record Group(String message, long count, long retried, BatchJob sample) {}

    /** Collects groups. Confined to one thread. */
    static final class Builder {

        private static final int MOST_GROUPS = 50;
        private static final int MOST_KINDS = 2_000;
        private static final Pattern NUMBER = Pattern.compile("\\d+([.,]\\d+)*");

        private final Map<String, Group> groups = new LinkedHashMap<>();
        private long looked;
        private boolean tooMany;

        void add(BatchJob job) {
            looked++;
            List<String> messages = job.messages();
            String message = messages.isEmpty() ? "" : messages.get(messages.size() - 1);
            String kind = NUMBER.matcher(message).replaceAll("…");
            if (groups.size() >= MOST_KINDS && !groups.containsKey(kind)) {
                tooMany = true;
                return;
            }
            groups.merge(
                    kind,
                    new Group(message, 1, job.state().isPending() ? 1 : 0, job),
                    (known, one) -> new Group(
                            known.message().equals(one.message()) ? known.message() : kind,
                            known.count() + 1,
                            known.retried() + one.retried(),
                            known.sample()));
        }

        long looked() {
            return looked;
        }

        BatchFailures build(long total, boolean partial) {
            List<Group> largest = groups.values().stream()
                    .sorted(Comparator.comparingLong(Group::count).reversed())
                    .limit(MOST_GROUPS)
                    .toList();
            return new BatchFailures(largest, looked, total, partial || tooMany || largest.size() < groups.size());
        }
    }
}
