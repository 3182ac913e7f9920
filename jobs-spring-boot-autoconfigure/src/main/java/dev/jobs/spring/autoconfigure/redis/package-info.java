/** Connections to the Redis of this application and of other installations. */
@NullMarked
package dev.jobs.spring.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
