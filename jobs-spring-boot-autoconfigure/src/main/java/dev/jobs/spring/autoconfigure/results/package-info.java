/** Results of jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.results;

import org.jspecify.annotations.NullMarked;
