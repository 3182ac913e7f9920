/**
 * Runs jobs. {@link dev.jobs.assembly.JobEngine} puts the parts together; read them in this order:
 *
 * <ul>
 *   <li>What they have in common: {@code RunContext}, {@code CapsuleConfig}, {@code EngineEnvironment}
 *   <li>The way of a job: {@code Capsules}, {@code Capsule}, {@code Fetcher}, {@code ClaimLine}, {@code HeldJobs},
 *       {@code ClaimedJob}, {@code AskingJobs} if a {@code JobGate} holds it back, {@code ThreadPool},
 *       {@code ProcessorThreads}, {@code Processor}, {@code JobRunner}, {@code JobRoutes}, {@code JobPart},
 *       {@code JobParts}, {@code Outcome}, {@code JobEffects}, {@code SettlementQueue}
 *   <li>What only some jobs pass: {@code HandBacks}, {@code ContextParts}, {@code EarlyOutcome}, {@code FailedOutcome},
 *       {@code InterruptibleRun}, {@code JobFailures}, {@code FailureHandling}, {@code AwaitedSettlements}, {@code EndLine}
 *   <li>When and how much a fetcher claims: {@code QueueOrder}, {@code IdleWait}, {@code OnCall},
 *       {@code AwaitingClaim}, {@code ThreadPools}, {@code PoolShare}, {@code SuspectPermit}
 *   <li>What happens to it besides: {@code ExchangeReport}, {@code JobAdoption}, {@code JobLog}, {@code AttemptRecord},
 *       {@code MaskedFailure}, {@code BrokenKeys}
 * </ul>
 */
@NullMarked
package dev.jobs.engine;

import org.jspecify.annotations.NullMarked;
