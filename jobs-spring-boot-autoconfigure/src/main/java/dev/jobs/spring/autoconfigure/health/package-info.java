/** The health of Jobs, if Boot's health support is present. */
@NullMarked
package dev.jobs.spring.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
