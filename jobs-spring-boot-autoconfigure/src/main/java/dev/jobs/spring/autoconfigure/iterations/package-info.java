/** Jobs that work through many elements. */
@NullMarked
package dev.jobs.spring.autoconfigure.iterations;

import org.jspecify.annotations.NullMarked;
