package dev.jobs;

/** A failure whose message quotes no argument of its job, so that it may always be stored and shown. */
@Internal
public interface WithoutArguments {}
