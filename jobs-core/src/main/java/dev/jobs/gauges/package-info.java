/** What gauges show of an installation, read once for all processes: {@link dev.jobs.gauges.GaugeReadings}. */
@NullMarked
package dev.jobs.gauges;

import org.jspecify.annotations.NullMarked;
