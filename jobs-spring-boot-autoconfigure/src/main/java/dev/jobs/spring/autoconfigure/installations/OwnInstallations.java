package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.LocalQueues;
import dev.jobs.recurring.RecurringJobs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The installations that have this application's jobs: the one on its Redis, called home, which all beans are about, and
 * others if a module divides the jobs among several. Thread-safe.
 */
@Internal
public interface OwnInstallations {

    /** One of them, as the application works with it. */
    interface Installation {

        String name();

        /** Where its Redis is, for people. */
        String address();

        /** The node of a cluster that has it; null if it isn't on a cluster, or that isn't known. */
        @Nullable String node();

        JobsAdmin admin();

        RecurringJobs recurring();

        Batches batches();
    }

    /** All of them, home first. */
    List<? extends Installation> all();

    /** The name of the one on the application's Redis. */
    default String home() {
        return all().get(0).name();
    }

    /** Whether there is another one. */
    default boolean areSeveral() {
        return all().size() > 1;
    }

    /** The queues among these that a worker serves in one of them, in their order. */
    List<String> served(String name, List<String> queues);

    /** Those that may have jobs of a queue, home first; none if it is nowhere. */
    List<String> having(String queue);

    /**
     * Asks several at the same time, so that those that are away cost one command timeout together, and one that hangs
     * holds up no other; a single one on the thread of the caller.
     *
     * @param asked what is asked in each, by name
     * @param late makes the answer of one that gave none within three command timeouts, or still owes one to a caller
     *     who waited for so long, from its name and that time
     * @return the answers in the same order
     */
    <S, T> Map<String, T> ask(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late);

    /** The same for their health, on threads that no long operation keeps busy: that one runs is no illness. */
    <S, T> Map<String, T> askForHealth(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late);

    /** The queues of home, for what is saved there as a whole. */
    LocalQueues queuesOfHome();

    /** The same for what goes on while queues leave it. */
    LocalQueues queuesOfHomeAndLeaving();

    /** The clients that are no beans. */
    Stream<RedisJobClient> clients();

    /** The first engine of this worker, which is the bean. */
    JobEngine engine(EngineParts parts);

    /** @param first the bean, which the application may have replaced */
    OwnEngines engines(JobEngine first, EngineParts parts);
}
