/**
 * Application events: {@link dev.jobs.spring.JobFinishedEvent}, {@link dev.jobs.spring.JobDiedEvent} and
 * {@link dev.jobs.spring.EngineStateChangedEvent}.
 */
@NullMarked
package dev.jobs.spring;

import org.jspecify.annotations.NullMarked;
