/** Last words of jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.deaths;

import org.jspecify.annotations.NullMarked;
