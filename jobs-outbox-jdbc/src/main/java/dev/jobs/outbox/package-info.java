/**
 * An outbox for jobs: rows of the application's database, written in its transactions and relayed to Redis exactly
 * once.
 *
 * <p>{@code JdbcOutbox} writes rows, {@code OutboxTable} has the SQL, and {@code OutboxRelay} moves them to Redis.
 */
@NullMarked
package dev.jobs.outbox;

import org.jspecify.annotations.NullMarked;
