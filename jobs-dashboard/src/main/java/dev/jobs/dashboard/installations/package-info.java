/** Which installations there are, and what a page is told of its own. */
@NullMarked
package dev.jobs.dashboard.installations;

import org.jspecify.annotations.NullMarked;
