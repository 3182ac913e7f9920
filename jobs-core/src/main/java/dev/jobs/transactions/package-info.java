/** Internal: jobs that wait for the commit of a transaction, in memory or as rows of an outbox. */
@NullMarked
package dev.jobs.transactions;

import org.jspecify.annotations.NullMarked;
