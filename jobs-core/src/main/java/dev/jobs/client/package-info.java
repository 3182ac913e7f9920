/** Puts jobs into Redis; users know it as {@link dev.jobs.JobClient}. */
@NullMarked
package dev.jobs.client;

import org.jspecify.annotations.NullMarked;
