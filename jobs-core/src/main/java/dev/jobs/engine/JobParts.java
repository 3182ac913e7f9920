package dev.jobs.engine;

import dev.jobs.JobDefinition;
import dev.jobs.store.Effect;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts by the moments of a run that succeeds or is left behind, found out once. {@link JobFailures} has those of the others,
 * {@link ContextParts} what the application's code asks. Immutable.
 */
final class JobParts {

    private final JobPart.Reads[] reads;
    private final JobPart.Begins[] begins;
    private final JobPart.Around[] around;
    private final JobPart.LeftBehind[] leftBehind;

    // The last one first.
    private final JobPart.Returns[] returns;
    private final JobPart.Succeeds[] succeeds;
    private final JobPart.Counts[] counts;

    JobParts(List<JobPart> all) {
        List<JobPart> reverse = reversed(all);
        reads = of(all, JobPart.Reads.class);
        begins = of(all, JobPart.Begins.class);
        around = of(all, JobPart.Around.class);
        leftBehind = of(all, JobPart.LeftBehind.class);
        returns = of(reverse, JobPart.Returns.class);
        succeeds = of(reverse, JobPart.Succeeds.class);
        counts = of(reverse, JobPart.Counts.class);
    }

    static List<JobPart> reversed(List<JobPart> parts) {
        List<JobPart> reverse = new ArrayList<>(parts);
        Collections.reverse(reverse);
        return reverse;
    }

    /** Those that need this moment. */
    @SuppressWarnings("unchecked") // an array of that type
    static <T extends JobPart> T[] of(List<JobPart> parts, Class<T> moment) {
        List<T> some =
                parts.stream().filter(moment::isInstance).map(moment::cast).toList();
        return some.toArray((T[]) Array.newInstance(moment, 0));
    }

    /** The first answer that isn't null; for what is asked of few jobs, or rarely. */
    static <P, T> @Nullable T first(P[] parts, Function<P, @Nullable T> question) {
        for (P part : parts) {
            T answer = question.apply(part);
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    void read(ClaimedJob job) {
        for (JobPart.Reads part : reads) {
            part.read(job);
        }
    }

    @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition) {
        for (JobPart.Begins part : begins) {
            Outcome outcome = part.before(job, definition);
            if (outcome != null) {
                return outcome;
            }
        }
        return null;
    }

    /** How many parts surround the application's code. */
    int around() {
        return around.length;
    }

    @Nullable Outcome enter(int number, ClaimedJob job, JobDefinition definition) {
        return around[number].enter(job, definition);
    }

    /** @param entered how many parts it had entered */
    void leave(int entered, ClaimedJob job) {
        for (int i = entered; --i >= 0; ) {
            around[i].leave(job);
        }
    }

    void decided(int entered, ClaimedJob job) {
        for (int i = entered; --i >= 0; ) {
            around[i].decided(job);
        }
    }

    void over(ClaimedJob job) {
        for (JobPart.LeftBehind part : leftBehind) {
            part.over(job);
        }
    }

    void returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) throws Exception {
        for (JobPart.Returns part : returns) {
            if (part.returned(job, definition, value)) {
                return;
            }
        }
    }

    List<Effect> done(ClaimedJob job, JobDefinition definition) {
        List<Effect> all = List.of();
        for (JobPart.Succeeds part : succeeds) {
            List<Effect> some = part.done(job, definition);
            if (all.isEmpty()) {
                all = some;
            } else if (!some.isEmpty()) {
                all = new ArrayList<>(all);
                all.addAll(some);
            }
        }
        return all;
    }

    void executed(ClaimedJob job, boolean failed, long nanos, long waitedMillis) {
        for (JobPart.Counts part : counts) {
            part.executed(job, failed, nanos, waitedMillis);
        }
    }
}
