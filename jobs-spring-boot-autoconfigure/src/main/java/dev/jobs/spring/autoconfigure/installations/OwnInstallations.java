package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.recurring.LocalQueues;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The installations that have this application's jobs: the one on its Redis, called home, which all beans are about, and
 * others if a module divides the jobs among several. Thread-safe.
 */
@Internal
public interface OwnInstallations {

    /** What administers each of them, by its name, home first. */
    Map<String, JobsAdmin> admins();

    /** The name of the one on the application's Redis. */
    String home();

    /** The tags, by key, that distinguish the meters of one of them; empty if it is the only one. */
    Map<String, String> tags(String name);

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
