/** What the class of a job does when the job is given up ({@link dev.jobs.deaths.OnDeath}). */
@NullMarked
package dev.jobs.deaths;

import org.jspecify.annotations.NullMarked;
