/**
 * Events of Spring Modulith as jobs: {@code EventJobs} enqueues them after the commit and lets the event publication
 * registry know, {@code EventOutbox} in the transaction.
 */
@NullMarked
package dev.jobs.modulith;

import org.jspecify.annotations.NullMarked;
