/** Live numbers, which all viewers share. */
@NullMarked
package dev.jobs.dashboard.live;

import org.jspecify.annotations.NullMarked;
