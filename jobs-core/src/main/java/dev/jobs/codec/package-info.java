/**
 * Internal: encodes and decodes payloads, arguments and backtraces; the lowest layer of the library.
 */
@NullMarked
package dev.jobs.codec;

import org.jspecify.annotations.NullMarked;
