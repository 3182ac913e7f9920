/** The health of Jobs, where Boot's health support is. */
@NullMarked
package dev.jobs.spring.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
