/** What meters of all features need: bounded tags, and readings that gauges share. */
@NullMarked
package dev.jobs.spring.autoconfigure.gauges;

import org.jspecify.annotations.NullMarked;
