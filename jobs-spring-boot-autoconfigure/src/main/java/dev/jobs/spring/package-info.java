/**
 * Application events: {@link dev.jobs.spring.JobFinishedEvent}, {@link dev.jobs.spring.JobDiedEvent},
 * {@link dev.jobs.spring.BatchChangedEvent} and {@link dev.jobs.spring.EngineStateChangedEvent}.
 */
@NullMarked
package dev.jobs.spring;

import org.jspecify.annotations.NullMarked;
