/** The client for reactive code. */
@NullMarked
package dev.jobs.spring.autoconfigure.reactive;

import org.jspecify.annotations.NullMarked;
