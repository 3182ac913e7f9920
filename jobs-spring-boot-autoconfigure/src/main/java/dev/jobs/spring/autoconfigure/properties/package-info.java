/** The properties of Jobs; those of a feature are in its package. */
@NullMarked
package dev.jobs.spring.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
