/** Several installations behind one client: {@link dev.jobs.shards.ShardMap}. */
@NullMarked
package dev.jobs.shards;

import org.jspecify.annotations.NullMarked;
