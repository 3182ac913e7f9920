/** Who may look, and who may act. */
@NullMarked
package dev.jobs.dashboard.access;

import org.jspecify.annotations.NullMarked;
