package dev.jobs.spring;

import dev.jobs.JobListener;

/**
 * The worker of this application started, went quiet or stopped. A listener's failure is logged and otherwise ignored.
 *
 * @param state the new state
 */
public record EngineStateChangedEvent(JobListener.EngineState state) {}
