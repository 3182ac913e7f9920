/** The worker: its start and stop with the application. */
@NullMarked
package dev.jobs.spring.autoconfigure.worker;

import org.jspecify.annotations.NullMarked;
