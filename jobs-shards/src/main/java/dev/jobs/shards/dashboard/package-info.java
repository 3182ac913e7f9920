/** Several shards in one dashboard: each with all pages, and a view over all of them. */
@NullMarked
package dev.jobs.shards.dashboard;

import org.jspecify.annotations.NullMarked;
