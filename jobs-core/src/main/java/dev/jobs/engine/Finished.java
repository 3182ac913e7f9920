package dev.jobs.engine;

import dev.jobs.redis.Settlement;

/** A job that is done with here, and what is to become of it in Redis. */
record Finished(ClaimedJob job, Settlement settlement) {}
