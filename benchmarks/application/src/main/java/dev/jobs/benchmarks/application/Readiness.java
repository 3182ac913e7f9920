package dev.jobs.benchmarks.application;

/** Something that becomes ready after the application runs. */
public interface Readiness {

    boolean isReady();
}
