/**
 * Internal: stores jobs in Redis. The only package that knows Lettuce, key names and scripts; client, engine and admin
 * build on it.
 */
@NullMarked
package dev.jobs.redis;

import org.jspecify.annotations.NullMarked;
