package dev.jobs.codec;

/** Encoded JSON text, written unchanged; it must be the text of exactly one value. */
public record RawJson(byte[] bytes) {}
