package dev.jobs.batches;

import org.jspecify.annotations.Nullable;

/**
 * A job of a batch, as the batch knows it.
 *
 * @param job the job as the batch knows it; null for a callback
 * @param callbackOf the event that a callback is for; null for other jobs
 * @param callbackState the state of a callback; null if it is not enqueued
 */
public record BatchMembership(
        BatchStatus batch,
        @Nullable BatchJob job,
        @Nullable BatchEvent callbackOf,
        @Nullable BatchJobState callbackState) {}
