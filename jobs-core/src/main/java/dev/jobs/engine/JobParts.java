package dev.jobs.engine;

import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.engine.JobRoutes.Route;
import dev.jobs.store.Effect;
import java.lang.reflect.Array;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parts by the moments that they need, found out once. Immutable. */
final class JobParts {

    private final JobPart.Reads[] reads;
    private final JobPart.Refuses[] refuses;
    private final JobPart.Begins[] begins;
    private final JobPart.Unknown[] unknown;
    private final JobPart.Around[] around;
    private final JobPart.Context[] context;

    // The last one first.
    private final JobPart.Returns[] returns;
    private final JobPart.Succeeds[] succeeds;
    private final JobPart.Throws[] throwing;
    private final JobPart.Repeats[] repeats;
    private final JobPart.Counts[] counts;

    /** For what is no job. */
    static final JobParts NONE = new JobParts(List.of());

    JobParts(List<JobPart> all) {
        List<JobPart> reverse = new ArrayList<>();
        all.forEach(part -> reverse.add(0, part));
        reads = of(all, JobPart.Reads.class);
        refuses = of(all, JobPart.Refuses.class);
        begins = of(all, JobPart.Begins.class);
        unknown = of(all, JobPart.Unknown.class);
        around = of(all, JobPart.Around.class);
        context = of(all, JobPart.Context.class);
        returns = of(reverse, JobPart.Returns.class);
        succeeds = of(reverse, JobPart.Succeeds.class);
        throwing = of(reverse, JobPart.Throws.class);
        repeats = of(reverse, JobPart.Repeats.class);
        counts = of(reverse, JobPart.Counts.class);
    }

    @SuppressWarnings("unchecked") // an array of that type
    private static <T extends JobPart> T[] of(List<JobPart> parts, Class<T> moment) {
        List<T> some =
                parts.stream().filter(moment::isInstance).map(moment::cast).toList();
        return some.toArray((T[]) Array.newInstance(moment, 0));
    }

    /** The first answer that isn't null; for what is asked of few jobs, or rarely. */
    private static <P, T> @Nullable T first(P[] parts, Function<P, @Nullable T> question) {
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

    /** @throws IllegalStateException if no part knows the reason */
    Outcome refused(ClaimedJob job, Ending why) {
        Outcome outcome = first(refuses, part -> part.refused(job, why));
        if (outcome == null) {
            throw new IllegalStateException("No part of the engine knows jobs that end as " + why);
        }
        return outcome;
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

    @Nullable Outcome unknown(ClaimedJob job, Route route, Throwable failure) {
        return first(unknown, part -> part.unknown(job, route, failure));
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

    @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
        return first(throwing, part -> part.thrown(job, thrown, fails));
    }

    /** The outcome of a job that would run again, if nothing ends it instead. */
    Outcome again(ClaimedJob job, Outcome outcome) {
        Outcome instead = first(repeats, part -> part.insteadOfAgain(job));
        return instead == null ? outcome : instead;
    }

    void executed(ClaimedJob job, boolean failed, long nanos, long waitedMillis) {
        for (JobPart.Counts part : counts) {
            part.executed(job, failed, nanos, waitedMillis);
        }
    }

    boolean isCancelled(ClaimedJob job) {
        for (JobPart.Context part : context) {
            if (part.isCancelled(job)) {
                return true;
            }
        }
        return false;
    }

    @Nullable Duration remaining(ClaimedJob job) {
        return first(context, part -> part.remaining(job));
    }

    void message(ClaimedJob job, String message) {
        for (JobPart.Context part : context) {
            part.message(job, message);
        }
    }

    void progress(ClaimedJob job, long done, long total) {
        for (JobPart.Context part : context) {
            part.progress(job, done, total);
        }
    }

    void log(ClaimedJob job, String text) {
        for (JobPart.Context part : context) {
            part.log(job, text);
        }
    }

    <T> @Nullable T feature(ClaimedJob job, Class<T> type) {
        return first(context, part -> part.feature(job, type));
    }
}
