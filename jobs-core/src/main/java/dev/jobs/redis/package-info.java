/**
 * Internal: where and how jobs are kept. The only package that knows Lettuce, key names and scripts; client, engine and admin stand on it.
 */
@NullMarked
package dev.jobs.redis;

import org.jspecify.annotations.NullMarked;
