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
 * @param partial whether these are not all, because that would have taken too long
 */
public record FailureGroups(List<FailureGroup> groups, long looked, long total, boolean partial) {

    public FailureGroups {
        groups = List.copyOf(groups);
    }

    /** Gathers groups. Confined to one thread. */
    static final class Builder implements BudgetedScan.Visitor {

        private static final int MOST_GROUPS = 200;

        private record Key(String name, String cause) {}

        private final @Nullable ArgumentMasking masking;
        private final Map<Key, FailureGroup> groups = new LinkedHashMap<>();
        private long looked;

        /** @param masking what names must not show; null if they may show all */
        Builder(@Nullable ArgumentMasking masking) {
            this.masking = masking;
        }

        @Override
        public boolean visit(JobRecord job, long index) {
            looked++;
            String name = masking == null ? job.name() : job.name(masking);
            Key key = new Key(Objects.requireNonNullElse(name, ""), Objects.requireNonNullElse(job.errorClass(), ""));
            Instant first = job.failedAt();
            Instant retried = job.retriedAt();
            Instant last = retried == null ? first : retried;
            groups.merge(
                    key,
                    new FailureGroup(key.name(), key.cause(), 1, first, last, new PlacedJob(job, index)),
                    (known, one) -> new FailureGroup(
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
            List<FailureGroup> largest = groups.values().stream()
                    .sorted(Comparator.comparingLong(FailureGroup::count).reversed())
                    .limit(MOST_GROUPS)
                    .toList();
            return new FailureGroups(largest, looked, total, partial || largest.size() < groups.size());
        }
    }
}
