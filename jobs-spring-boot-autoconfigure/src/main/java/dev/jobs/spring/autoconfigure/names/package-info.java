/** Compares names in properties and annotations with those that exist. */
@NullMarked
package dev.jobs.spring.autoconfigure.names;

import org.jspecify.annotations.NullMarked;
