/**
 * Puts client, engine and administration together with the features: {@link dev.jobs.assembly.RedisJobClient},
 * {@link dev.jobs.assembly.JobEngine}, {@link dev.jobs.assembly.JobsAdmin}. {@code FeatureRules} and {@code RunParts}
 * list what features add to payloads and to the run of a job; {@code TimedLoops} and {@code EngineRun} start their chores.
 */
@NullMarked
package dev.jobs.assembly;

import org.jspecify.annotations.NullMarked;
