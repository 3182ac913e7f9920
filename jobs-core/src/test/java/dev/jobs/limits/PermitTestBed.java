package dev.jobs.limits;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** A process, and how its jobs ask for permits, are parked, and go on, for the tests of limits by their scripts. */
abstract class PermitTestBed {

    static final JobLimit SHOP = new JobLimit("shop", "5", LimitNumbers.atOnce(2));
    static final JobLimit ERP = new JobLimit("erp", "", LimitNumbers.atOnce(1));

    private final ScriptTestBed bed;
    final Permits permits;
    final PermitEffects effects;
    final ParkedJobs parked;
    Worker worker;

    /** @param bed one for all tests of a class */
    PermitTestBed(ScriptTestBed bed) {
        this.bed = bed;
        this.permits = new Permits(bed.connection, bed.keys);
        this.effects = new PermitEffects(bed.keys);
        this.parked = new ParkedJobs(bed.connection, bed.keys);
    }

    @BeforeEach
    void join() {
        worker = bed.worker("p").join();
    }

    List<Answer> ask(List<Claimed> jobs, JobLimit... limits) {
        return permits.admit(
                        "p",
                        jobs.stream()
                                .map(job -> new Asking(job.token(), job.queue(), 1L, List.of(limits), List.of()))
                                .toList())
                .orElseThrow();
    }

    Settlement done(Claimed job, JobLimit... limits) {
        return Settlement.done(job.token()).with(effects.of("p", job.queue(), List.of(limits)));
    }

    static JobLimit rated(String name, int jobs, Duration per, int burst) {
        return new JobLimit(name, "", new LimitNumbers(null, new LimitRate(jobs, per, burst)));
    }

    double wake(String limitId) {
        return bed.redis.texts().zscore("jobs:wake", limitId);
    }

    /** Lets that much time pass for a rate. */
    void pass(String limitId, Duration time) {
        long next = Long.parseLong(bed.redis.texts().hget("jobs:rate", limitId));
        bed.redis.texts().hset("jobs:rate", limitId, Long.toString(next - time.toNanos() / 1_000));
        if (bed.redis.texts().zscore("jobs:wake", limitId) != null) {
            bed.redis.texts().zincrby("jobs:wake", -time.toMillis() / 1e3, limitId);
        }
    }

    /** The first one starts at once; so many others are parked at {@link #ERP}. */
    void park(int count) {
        bed.push("mail", jobs(0, count + 1).toArray(String[]::new));
        for (List<Claimed> jobs = worker.take(100, "mail"); !jobs.isEmpty(); jobs = worker.take(100, "mail")) {
            ask(jobs, ERP);
        }
    }

    static List<String> jobs(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> String.format("job %03d", i))
                .toList();
    }

    void park(String queue, int time, String job) {
        bed.redis.texts().zadd("jobs:parked:erp", 0, String.format("\n%016d\n%s\n1\n%s", time, queue, job));
    }
}
