package dev.jobs.codec;

/** JSON text that is already encoded and is written as it is; it must be the text of exactly one value. */
public record RawJson(byte[] bytes) {}
