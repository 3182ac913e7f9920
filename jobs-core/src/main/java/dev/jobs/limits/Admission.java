package dev.jobs.limits;

import dev.jobs.InvalidPayloadException;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobGate;
import dev.jobs.engine.JobGate.Waiting;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Incarnation;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.store.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Redis for the permits of claimed jobs that have limits, before they are ready to run. Those whose limit is full
 * are parked in Redis in the same step, and gone from here. Those that must not be run get none and go on to their end.
 * For the thread that holds the fetcher's lock.
 */
final class Admission implements JobGate.Asks {

    private static final Logger log = LoggerFactory.getLogger(Admission.class);

    private static final Duration PAUSE = Duration.ofMillis(250);

    private final String capsule;
    private final String caller;
    private final Waiting waiting;
    private final Permits permits;
    private final LimitedJobs limited;
    private final RunContext context;
    private long notBefore;
    private final Set<String> brokenReported = new TreeSet<>();

    Admission(CapsuleConfig capsule, Waiting waiting, Permits permits, LimitedJobs limited, RunContext context) {
        this.capsule = capsule.name();
        this.caller = "limits of capsule " + capsule.name();
        this.waiting = waiting;
        this.permits = permits;
        this.limited = limited;
        this.context = context;
        this.notBefore = context.nanos();
    }

    @Override
    public boolean isDue() {
        return waiting.isAny() && context.nanos() - notBefore >= 0;
    }

    @Override
    public int ask(Incarnation incarnation) {
        List<ClaimedJob> jobs = new ArrayList<>();
        List<Asking> asking = new ArrayList<>();
        for (ClaimedJob job : waiting.some()) {
            jobs.add(job);
            asking.add(asking(job));
        }
        List<Asking> some = permits.some(asking);
        if (some.isEmpty()) {
            return 0;
        }
        try {
            Optional<List<Answer>> answers = permits.admit(
                    incarnation.id(), some, (job, giveBack) -> LimitedJobs.started(jobs.get(job), giveBack));
            context.outage().worked(caller);
            if (answers.isEmpty()) {
                pause();
                context.lease().fenced(incarnation);
                return 0;
            }
            return conclude(jobs.subList(0, some.size()), answers.get());
        } catch (JobStoreException e) {
            pause(); // it may have happened all the same; a repeated call finds that out
            context.outage().failed(caller, e);
            return 0;
        }
    }

    private int conclude(List<ClaimedJob> jobs, List<Answer> answers) {
        int parked = 0;
        Set<String> broken = new TreeSet<>();
        boolean some = false;
        for (int i = 0; i < jobs.size(); i++) {
            ClaimedJob job = jobs.get(i);
            Answer answer = answers.get(i);
            switch (answer) {
                case ADMITTED -> waiting.admitted(job);
                case PARKED -> {
                    waiting.parked(job);
                    parked++;
                }
                case GONE -> waiting.gone(job);
                case EXPIRED, CANCELLED, SKIPPED, REPLACED -> {
                    job.attach(new JobPart.Refusal(ending(answer)));
                    waiting.admitted(job);
                }
                case BROKEN -> {
                    waiting.toEnd(job);
                    broken.addAll(limits(job));
                }
            }
            if (answer == Answer.ADMITTED || answer == Answer.PARKED) {
                brokenReported.removeAll(limits(job));
            }
            some |= answer != Answer.BROKEN;
        }
        if (!some) {
            pause();
        }
        if (brokenReported.addAll(broken)) {
            log.error(
                    "Capsule {} can't admit jobs with the limits {}, since keys of limits (jobs:permits:…, jobs:parked:…, "
                            + "jobs:permitted:…) hold other types. They wait until these keys are repaired or deleted",
                    capsule,
                    broken);
        }
        return parked;
    }

    private static Ending ending(Answer notRun) {
        return switch (notRun) {
            case EXPIRED -> Ending.EXPIRED;
            case CANCELLED -> Ending.CANCELLED;
            case REPLACED -> Ending.REPLACED;
            case SKIPPED, ADMITTED, PARKED, GONE, BROKEN -> Ending.SKIPPED;
        };
    }

    private static List<String> limits(ClaimedJob job) {
        return LimitedJobs.limits(job).stream().map(JobLimit::limit).toList();
    }

    private Asking asking(ClaimedJob job) {
        Long time = null;
        StartConditions conditions = StartConditions.NONE;
        try {
            Payload payload = Payload.parse(job.stored());
            time = LimitedJobs.time(payload);
            conditions = limited.conditions(job, payload);
        } catch (InvalidPayloadException e) {
            // goes to the dead set
        }
        List<Effect> parked = new ArrayList<>(waiting.parking(job));
        parked.addAll(limited.releaseGiven(job));
        return new Asking(job.token(), job.queue(), time, LimitedJobs.limits(job), conditions, parked);
    }

    private void pause() {
        notBefore = context.nanos() + PAUSE.toNanos();
    }
}
