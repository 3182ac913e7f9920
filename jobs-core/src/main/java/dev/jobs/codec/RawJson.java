package dev.jobs.codec;

import dev.jobs.Internal;

/** Encoded JSON text, written unchanged; it must be the text of exactly one value. */
@Internal
public record RawJson(byte[] bytes) {}
