package dev.jobs.benchmarks.peers.rqueue;

import dev.jobs.benchmarks.driver.Arguments;

/** A message. */
record RqueueJob(Arguments arguments) {}
