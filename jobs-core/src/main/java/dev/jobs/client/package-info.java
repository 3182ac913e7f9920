/**
 * Internal: what a client does with a job before the store has it. {@code PayloadBuilder} makes the payload,
 * {@code Enqueuer} applies middleware, {@code PayloadRules} checks the payload and makes the bytes to store, and a
 * {@code JobStore} stores them. {@link dev.jobs.assembly.RedisJobClient} puts these together as the
 * {@link dev.jobs.JobClient}; features take part by a {@code PayloadRule}, and by {@code OptionMethods} if
 * calls have options of theirs ({@code ClientWithOptions}). {@code EnqueueEvents} tells listeners.
 */
@NullMarked
package dev.jobs.client;

import org.jspecify.annotations.NullMarked;
