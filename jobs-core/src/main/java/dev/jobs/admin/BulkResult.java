package dev.jobs.admin;

/**
 * What an action on many jobs did.
 *
 * @param done jobs that it was done to
 * @param kept jobs that stay although they were meant: vetoed by a middleware, no JSON object, or without a usable queue
 */
public record BulkResult(long done, long kept) {}
