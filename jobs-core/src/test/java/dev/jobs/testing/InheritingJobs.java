package dev.jobs.testing;

import dev.jobs.Job;

/** Inherits a job from a class that other packages don't see. */
public final class InheritingJobs extends HiddenJobs {}

class HiddenJobs {

    @Job("Inherited")
    public void inherited(String text) {}
}
