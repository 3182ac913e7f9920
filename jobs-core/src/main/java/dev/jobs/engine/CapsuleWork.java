package dev.jobs.engine;

import dev.jobs.Internal;

/**
 * What a capsule has done since its engine started.
 *
 * @param taken the jobs that its threads have begun, and those that it took out of their queues to wait elsewhere in
 *     Redis
 * @param running the threads that are busy with its jobs; without those that were abandoned
 */
@Internal
public record CapsuleWork(CapsuleConfig capsule, long taken, long running) {}
