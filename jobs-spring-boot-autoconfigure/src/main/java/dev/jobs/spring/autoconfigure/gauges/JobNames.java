package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;

/** The names of jobs as tags: one that this application doesn't know is {@code unknown}. */
@Internal
public final class JobNames {

    private final JobRegistry jobs;

    public JobNames(JobRegistry jobs) {
        this.jobs = jobs;
    }

    public String of(String name) {
        return jobs.find(name).map(JobDefinition::name).orElse("unknown");
    }
}
