package dev.jobs.sample;

/**
 * The customer who sends a request.
 *
 * @param name to be compared with the owner of a batch
 */
record Customer(String name) {}
