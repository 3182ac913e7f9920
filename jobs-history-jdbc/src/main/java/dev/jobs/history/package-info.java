/**
 * A history of batches and jobs: rows of the application's database, written while jobs run, and equal to Redis once a
 * batch has finished.
 *
 * <p>{@code HistoryJournal} writes the rows of a batch before its jobs are stored, {@code HistoryRecorder} and {@code
 * HistoryWriter} add what becomes of them, {@code HistoryCopier} compares them with Redis, and {@code JobHistory} finds
 * them.
 */
@NullMarked
package dev.jobs.history;

import org.jspecify.annotations.NullMarked;
