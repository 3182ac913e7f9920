/** The rules for properties, and what becomes of those that nobody reads. */
@NullMarked
package dev.jobs.spring.autoconfigure.checks;

import org.jspecify.annotations.NullMarked;
