package dev.jobs.admin;

import dev.jobs.ArgumentMasking;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Failed jobs by name and cause.
 *
 * @param groups the largest first, at most 200
 * @param looked jobs that were looked at
 * @param total jobs in the set
 * @param partial whether groups or jobs are missing, because there were too many or the budget was used up
 */
public record FailureGroups(List<Group> groups, long looked, long total, boolean partial) {

    public FailureGroups {
        groups = List.copyOf(groups);
    }

    /**
     * Jobs of one name that failed with one cause.
     *
     * @param name the name of the job for people; empty for an entry that is not a job
     * @param cause the class of what was thrown; empty if the job doesn't contain it
     * @param first when the first of them failed for the first time
     * @param last when one of them failed last
     * @param sample one of them
     */
    public record Group(
            String name,
            String cause,
            long count,
            @Nullable Instant first,
            @Nullable Instant last,
            ListedJob sample) {}

    /** Collects groups. Confined to one thread. */
    static final class Builder implements BudgetedScan.Visitor {

        private static final int MOST_GROUPS = 200;

        private record Key(String name, String cause) {}

        private final ArgumentMasking masking;
        private final Map<Key, Group> groups = new LinkedHashMap<>();
        private long looked;

        /** @param masking what the names must not show */
        Builder(ArgumentMasking masking) {
            this.masking = masking;
        }

        @Override
        public boolean visit(JobRecord job, long index) {
            looked++;
            String name = job.name(masking);
            Key key = new Key(Objects.requireNonNullElse(name, ""), Objects.requireNonNullElse(job.errorClass(), ""));
            Instant first = job.failedAt();
            Instant retried = job.retriedAt();
            Instant last = retried == null ? first : retried;
            groups.merge(
                    key,
                    new Group(key.name(), key.cause(), 1, first, last, new ListedJob(job, index)),
                    (known, one) -> new Group(
                            known.name(),
                            known.cause(),
                            known.count() + 1,
                            pick(known.first(), one.first(), true),
                            pick(known.last(), one.last(), false),
                            known.sample()));
            return true;
        }

        private static @Nullable Instant pick(@Nullable Instant one, @Nullable Instant other, boolean earlier) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return one.isBefore(other) == earlier ? one : other;
        }

        FailureGroups build(long total, boolean partial) {
            List<Group> largest = groups.values().stream()
                    .sorted(Comparator.comparingLong(Group::count).reversed())
                    .limit(MOST_GROUPS)
                    .toList();
            return new FailureGroups(largest, looked, total, partial || largest.size() < groups.size());
        }
    }
}
