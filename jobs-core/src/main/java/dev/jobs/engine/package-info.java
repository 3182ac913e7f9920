/**
 * Runs jobs: {@link dev.jobs.assembly.JobEngine} and its parts. Read them in this order:
 *
 * <ul>
 *   <li>Start and stop: {@code JobEngine}, {@code EngineRun}, {@code RunContext}, {@code EngineConfig},
 *       {@code CapsuleConfig}, {@code RecurringConfig}, {@code TimeoutConfig}, {@code LimiterConfig},
 *       {@code EngineEnvironment}, {@code EngineHealth}
 *   <li>The path of a job: {@code Capsules}, {@code Capsule}, {@code Fetcher}, {@code ClaimLine}, {@code HeldJobs},
 *       {@code ClaimedJob}, {@code ParsedJob}, {@code RunnerThread}, {@code JobExtras}, {@code ReadyJobs},
 *       {@code Processors}, {@code Processor}, {@code JobRunner}, {@code JobRoutes}, {@code Outcome},
 *       {@code FailureHandling}, {@code AttemptRecord}, {@code SettlementQueue}, {@code AwaitedSettlements},
 *       {@code JobEffects}
 *   <li>What a job tells: {@code JobReport}, {@code ReturnedValue}, {@code ReportChore}
 *   <li>Jobs of other versions: {@code ForeignJobs}, {@code OtherWorkers}, {@code Yielding}, {@code JobShapes}
 *   <li>What ends jobs from outside: {@code EarlyEnds}, {@code CancelledJobs}, {@code CancelNews},
 *       {@code TimeWatch}, {@code TimeLimit}
 *   <li>Limits on jobs at once: {@code LimitedJobs}, {@code LimitConfig}, {@code AskingJobs}, {@code Admission},
 *       {@code LimitKeeper}
 *   <li>Jobs that used up what a limiter allows: {@code OverLimits}
 *   <li>Iterable jobs: {@code RunStore}, {@code RedisRunStore}, {@code IterationRun}
 *   <li>What the engines of several shards share: {@code PlacePool}, {@code Places}, {@code PlaceShare}
 *   <li>When and how much a fetcher claims: {@code QueueOrder}, {@code Pace}, {@code ReadAhead}, {@code IdleWait},
 *       {@code FetcherLock}, {@code SuspectPermit}
 *   <li>How a worker learns of jobs at once: {@code Notifications}, {@code OnCallDuty}, {@code StandingClaim}
 *   <li>Lease and recovery: {@code Lease}, {@code Incarnation}, {@code LeaseRenewal}, {@code Reaper},
 *       {@code JobAdoption}
 *   <li>Due and recurring jobs: {@code Timers}, {@code Poller}, {@code PollInterval}, {@code RecurringPoller},
 *       {@code RecurringDeclarations}
 *   <li>What others see: {@code Heartbeat}, {@code PublishedWork}, {@code PayloadPreview}, {@code ThreadDump},
 *       {@code ExecutionCounts}, {@code MetricsReport}, {@code JobLog}, {@code MaskedFailure}
 *   <li>Threads and incidents: {@code Loop}, {@code Threads}, {@code ThreadGuard}, {@code Deadline}, {@code Outage},
 *       {@code BrokenKeys}, {@code ServerWatch}
 * </ul>
 */
@NullMarked
package dev.jobs.engine;

import org.jspecify.annotations.NullMarked;
