package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.admin.Workforce;
import dev.jobs.assembly.JobsAdmin;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Which jobs an installation knows: those that its workers publish, and of its own also those of this application. */
@Internal
public final class KnownJobs {

    private final JobsAdmin admin;
    private final JobRegistry registry;
    private final boolean own;

    /** @param own whether it is the application's own installation */
    public KnownJobs(JobsAdmin admin, JobRegistry registry, boolean own) {
        this.admin = admin;
        this.registry = registry;
        this.own = own;
    }

    /** A job as this application defines it, even if others run it. */
    public Optional<JobDefinition> definition(@Nullable String name) {
        return registry.find(name);
    }

    /** The same if its method reads arguments as they are stored: no upcaster changes them first. */
    Optional<JobDefinition> reader(String name) {
        return registry.reader(name);
    }

    /** What clients store of the digest of a lock of a job: another digest, if it may tell of masked arguments. */
    public String storedDigest(String name, String digest) {
        return registry.storedDigest(name, digest);
    }

    /**
     * The names of jobs that can be enqueued: those that live workers know. A worker of our own installation that
     * doesn't say what it knows may know what this application does.
     */
    public SortedSet<String> names(Workforce workforce) {
        SortedSet<String> names = workforce.jobs();
        if (own && !workforce.isComplete()) {
            registry.definitions().forEach(each -> names.addAll(each.allNames()));
        }
        return names;
    }

    /** Whether a job of a name can run: only of another installation, that depends on its workers. */
    public Predicate<String> runnable() {
        if (own) {
            return name -> registry.find(name).isPresent();
        }
        Workforce workforce = admin.processes().workforce();
        return workforce.isComplete() ? workforce.jobs()::contains : name -> true;
    }
}
