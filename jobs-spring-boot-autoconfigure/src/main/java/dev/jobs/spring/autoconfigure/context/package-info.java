/** Values that jobs take along from the thread that enqueues them to the thread that performs them. */
@NullMarked
package dev.jobs.spring.autoconfigure.context;

import org.jspecify.annotations.NullMarked;
