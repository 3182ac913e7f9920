/**
 * Internal: what others see of a process in the registry of Sidekiq, and what they tell it.
 */
@NullMarked
package dev.jobs.processes;

import org.jspecify.annotations.NullMarked;
