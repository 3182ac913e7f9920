package dev.jobs;

import dev.jobs.JobUpcaster.Stored;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All upcasters of an application, in their order. Immutable. */
final class Upcasting {

    private record Known(JobUpcaster upcaster, Set<String> names) {}

    private final List<Known> all = new ArrayList<>();
    private final Set<String> names;

    /** @throws JobDefinitionException if an upcaster has no names */
    Upcasting(Collection<? extends JobUpcaster> upcasters) {
        Set<String> found = new HashSet<>();
        for (JobUpcaster upcaster : upcasters) {
            Set<String> own = Set.copyOf(upcaster.names());
            if (own.isEmpty()) {
                throw new JobDefinitionException(
                        "The upcaster " + upcaster.getClass().getName() + " has no names, so it is never called",
                        "Let its names() return the names of the jobs that it changes.");
            }
            all.add(new Known(upcaster, own));
            found.addAll(own);
        }
        names = Set.copyOf(found);
    }

    Set<String> names() {
        return names;
    }

    Stored upcast(Stored stored) {
        Stored job = stored;
        for (Known each : all) {
            if (each.names().contains(job.name())) {
                job = each.upcaster().upcast(job);
            }
        }
        return job;
    }
}
