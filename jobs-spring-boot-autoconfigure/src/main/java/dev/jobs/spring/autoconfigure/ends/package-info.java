/** How long executions may take. */
@NullMarked
package dev.jobs.spring.autoconfigure.ends;

import org.jspecify.annotations.NullMarked;
