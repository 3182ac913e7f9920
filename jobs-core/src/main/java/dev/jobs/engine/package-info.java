/**
 * Runs jobs. {@link dev.jobs.assembly.JobEngine} puts the parts together; read them in this order:
 *
 * <ul>
 *   <li>What they have in common: {@code RunContext}, {@code CapsuleConfig}, {@code EngineEnvironment}
 *   <li>The way of a job: {@code Capsules}, {@code Capsule}, {@code Fetcher}, {@code ClaimLine}, {@code HeldJobs},
 *       {@code ClaimedJob}, {@code ThreadPool}, {@code Processor}, {@code JobRunner}, {@code JobRoutes},
 *       {@code JobPart}, {@code JobParts}, {@code Outcome}, {@code JobEffects}, {@code SettlementQueue}
 *   <li>When and how much a fetcher claims: {@code QueueOrder}, {@code IdleWait}, {@code OnCall},
 *       {@code NotifiedFetcher}, {@code AwaitingClaim}, {@code ReadAhead}, {@code SuspectPermit},
 *       {@code CarriedPermit}; of several engines in a process {@code ThreadPools}, {@code FairShares}
 *   <li>What happens to few jobs: {@code JobFailures}, {@code FailureHandling} and {@code FailedOutcome} if it fails,
 *       {@code AwaitedSettlements} if it dies, {@code EarlyOutcome} if it ends otherwise, {@code InterruptibleRun} and
 *       {@code ContextParts} if others interfere, {@code AskingJobs} and {@code JobsAtGate} if a {@code JobGate} holds
 *       it back, {@code RefusedSettlements} if Redis can't settle it, {@code FetcherPauses} and {@code JobAdoption} in
 *       and after an outage, {@code JobsAtStop} if its process ends
 *   <li>What is told of it: {@code ExchangeReport}, {@code JobLog}, {@code AttemptRecord}
 * </ul>
 */
@NullMarked
package dev.jobs.engine;

import org.jspecify.annotations.NullMarked;
