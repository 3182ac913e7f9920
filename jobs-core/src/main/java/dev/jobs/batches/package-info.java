/**
 * Many jobs under one id: {@link dev.jobs.batches.Batches}, {@link dev.jobs.batches.JobBatch} for running jobs, and
 * {@link dev.jobs.batches.BatchesAdmin} with what it returns.
 *
 * <ul>
 *   <li>Filling: {@code RedisBatches} makes jobs as the client does, with a jid that names batch and index, and stores
 *       them in slices ({@code BatchFill}, {@code BatchStore}). Those of {@code create} are staged, and released after
 *       the commit ({@code StagedJobs})
 *   <li>State: a byte for each job, which the effect {@code batch} changes in the step in which the job ends or moves
 *       ({@code BatchEffects}). {@code BatchReader} reads it
 *   <li>Events: the effect notes that one may have come; the leader's {@code BatchChore} decides and enqueues the
 *       callback ({@code BatchNotes}, {@code BatchEnds})
 *   <li>Running jobs: {@code BatchPart} and {@code BatchRun} in the engine, messages and progress, once a second
 *   <li>Cancelling: {@code CancelledBatches} is what a process knows; {@code BatchCascade}, {@code CancelCascade} and
 *       {@code CancelSweep} reach children and waiting jobs
 *   <li>Upkeep: {@code BatchAuditor} looks for jobs whose end the batch didn't hear of, {@code BatchUpkeep} applies the
 *       notes of Ruby's workers ({@code RubyNotes}) and forgets expired batches, {@code BatchWatch} finds those that
 *       want a look without a note
 *   <li>Administration: {@code BatchInquiry} finds out why a batch is not finished, {@code BatchFieldReader} reads the
 *       states of all its jobs, {@code BatchCheck} and {@code BatchErrors} compare them with its counters
 * </ul>
 */
@NullMarked
package dev.jobs.batches;

import org.jspecify.annotations.NullMarked;
