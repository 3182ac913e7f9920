package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.threads.Deadline;
import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All capsules of a process, with the jobs that they hold and the order in which they stop. Thread-safe. */
@Internal
public final class Capsules {

    private static final Logger log = LoggerFactory.getLogger(Capsules.class);

    /** How long interrupted jobs get to end, as in Sidekiq. */
    private static final Duration GRACE = Duration.ofSeconds(3);
    /** How long a stop waits for Redis to take back jobs. */
    private static final Duration HAND_BACK = Duration.ofSeconds(3);

    /**
     * How long a stop waits for abandoned fetchers; the command timeout, which ends their last exchange, may be longer.
     */
    private static final Duration ABANDONED = Duration.ofSeconds(1);

    private final List<Capsule> all;
    private final RunContext context;
    private final BiConsumer<ClaimedJob, String> blame;

    /** @param blame keeps the reason why a job ends the process */
    public Capsules(List<Capsule> all, RunContext context, BiConsumer<ClaimedJob, String> blame) {
        this.all = List.copyOf(all);
        this.context = context;
        this.blame = blame;
    }

    /** The jobs that are held now. */
    public Stream<ClaimedJob> jobs() {
        return all.stream().flatMap(capsule -> capsule.held().all().stream());
    }

    /** How many jobs are held now. */
    public int held() {
        return all.stream().mapToInt(capsule -> capsule.held().all().size()).sum();
    }

    public boolean holds(String token) {
        return all.stream().anyMatch(capsule -> capsule.held().has(token));
    }

    /** How many jobs run now. */
    public int busy() {
        return (int) jobs().filter(job -> job.runner() != null).count();
    }

    /** What each has done. */
    public List<CapsuleWork> work() {
        return all.stream().map(Capsule::work).toList();
    }

    /** For how many deaths handlers are still to be called, or are called. */
    public int untoldDeaths() {
        return all.stream()
                .mapToInt(capsule -> capsule.held().awaited().untold())
                .sum();
    }

    public Stream<Thread> processors() {
        return all.stream().flatMap(capsule -> capsule.processors().stream());
    }

    /** A thread doesn't end a job whose time is over: another one settles the job and replaces the thread. */
    public void replace(ClaimedJob job, Thread abandoned) {
        log.warn(
                "Job {} did not end in the grace after its timeout. It is given up, and a new thread takes the place of {}, which is at\n    {}",
                job,
                abandoned.getName(),
                String.join("\n    ", Threads.frames(abandoned)));
        for (Capsule capsule : all) {
            if (capsule.replace(abandoned, job)) {
                return;
            }
        }
    }

    /** Redis held these for the process at the last two beats, but no capsule knew them. */
    public void adopt(Collection<String> tokens) {
        all.forEach(capsule -> capsule.fetcher().adopt(tokens));
    }

    public void start() {
        all.forEach(Capsule::start);
    }

    /** Jobs may be claimed that could not be before. */
    public void mayClaim() {
        all.forEach(capsule -> capsule.fetcher().mayClaim());
    }

    /** Ends claiming. */
    public void quiet() {
        all.forEach(capsule -> capsule.fetcher().quiet());
    }

    /**
     * Stops the capsules: waits for running jobs, hands back what is left, interrupts it, settles, and ends the
     * threads. Others recover what Redis doesn't take back.
     *
     * @param deadline until when jobs may run
     * @param last when everything has to be over
     */
    public void stop(Deadline deadline, Deadline last) {
        all.forEach(capsule -> capsule.held().atStop().awaitEnded(deadline.left()));
        boolean idle = handBack(last);
        if (!idle) {
            all.forEach(capsule -> capsule.held().awaited().release());
        }
        all.forEach(capsule -> capsule.held().awaited().awaitDeathHandlers(deadline.left()));
        all.forEach(Capsule::endProcessors);
        Deadline grace = last.atMost(GRACE);
        all.forEach(capsule -> capsule.awaitProcessors(grace));
        Deadline settled = last.atMost(idle && context.outage().error() == null ? HAND_BACK : Duration.ZERO);
        all.forEach(capsule -> capsule.fetcher().end());
        all.forEach(capsule -> capsule.awaitFetcher(settled));
        Deadline abandoned = last.atMost(ABANDONED);
        all.forEach(capsule -> capsule.awaitFetcher(abandoned));
    }

    /**
     * Hands back unfinished jobs to their queues, and only then interrupts them: a crash in between runs a job twice,
     * which is better than never. Returns whether Redis has taken back and settled everything.
     */
    private boolean handBack(Deadline last) {
        List<ClaimedJob> running = new ArrayList<>();
        for (Capsule capsule : all) {
            capsule.held().atStop().loseExiting().forEach(this::blame);
            running.addAll(capsule.held().atStop().handBackAll());
        }
        for (ClaimedJob job : running) {
            log.warn("Job {} still runs at the deadline; it is handed back to its queue and interrupted", job);
        }
        context.lease().takenAway();
        boolean idle = awaitEmpty(last.atMost(HAND_BACK));
        if (!idle) {
            logLeft();
        }
        running.forEach(ClaimedJob::interrupt);
        return idle;
    }

    private void blame(ClaimedJob job) {
        log.error(
                "Job {} called System.exit, so this process ends. It is not handed back, but recovered as if it had killed the process: if it "
                        + "does so too often, it goes to the dead set",
                job);
        try {
            blame.accept(job, Threads.SYSTEM_EXIT);
        } catch (JobStoreException e) {
            log.debug("The reason why job {} ends the process could not be kept", job, e);
        }
    }

    private boolean awaitEmpty(Deadline deadline) {
        boolean empty = true;
        for (Capsule capsule : all) {
            empty &= capsule.held().atStop().awaitEmpty(deadline.left());
        }
        return empty;
    }

    private void logLeft() {
        List<ClaimedJob> left = jobs().toList();
        long finished = left.stream().filter(ClaimedJob::isFinished).count();
        log.warn(
                "Redis did not settle {} finished jobs, which run again, and did not take back {} others. They are recovered after the lease "
                        + "has run out",
                finished,
                left.size() - finished);
    }
}
