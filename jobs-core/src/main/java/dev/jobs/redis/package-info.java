/**
 * Internal: connections to Redis, the errors of calls, the loading of scripts, and the names of keys that several
 * rooms use.
 */
@NullMarked
package dev.jobs.redis;

import org.jspecify.annotations.NullMarked;
