package dev.jobs.spring;

import dev.jobs.JobListener;

/**
 * The worker of this application started, went quiet or stopped. A listener that fails is logged and ignored.
 *
 * @param state the new state
 */
public record EngineStateChangedEvent(JobListener.EngineState state) {}
