/**
 * Internal: how payloads, arguments and backtraces become bytes and come back; the lowest layer of the library.
 */
@NullMarked
package dev.jobs.codec;

import org.jspecify.annotations.NullMarked;
