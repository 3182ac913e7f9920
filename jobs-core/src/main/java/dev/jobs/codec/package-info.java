/**
 * Internal: encodes and decodes payloads, arguments and backtraces. The first room, which knows nothing of jobs.
 */
@NullMarked
package dev.jobs.codec;

import org.jspecify.annotations.NullMarked;
