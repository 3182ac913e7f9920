/**
 * Internal: the threads of a process: loops, what is done about exceptions on them, what the application's code leaves
 * behind on them, and the log lines about outages. Knows no jobs.
 */
@NullMarked
package dev.jobs.threads;

import org.jspecify.annotations.NullMarked;
