package dev.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Beat;
import dev.jobs.limits.LimitedQueues;
import dev.jobs.limits.QueueLimit;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A process that only does what a test tells it to. It numbers its exchanges as an engine does, and can repeat any of
 * them.
 */
public final class Worker {

    /** An exchange that can be repeated. */
    public record Call(
            int line, long number, int want, int suspects, List<String> queues, List<Settlement> settlements) {}

    public final String id;
    /** That of all its calls. */
    public static final String MARK = "m";

    public final JobClaims claims;
    public final ProcessLeases leases;
    /** The limits of queues that it knows. */
    public final List<QueueLimit> limits = new ArrayList<>();

    /** How many jobs of these queues it takes at once. */
    public int threads = 1_000;

    private final Map<Integer, Long> numbers = new HashMap<>();
    private Call last = new Call(0, 0, 0, 0, List.of(), List.of());

    /** @param exchanges the number of exchanges that line 0 has made before */
    public Worker(String id, JobClaims claims, ProcessLeases leases, long exchanges) {
        this.id = id;
        numbers.put(0, exchanges);
        this.claims = claims;
        this.leases = leases;
    }

    /** Registers. */
    public Worker join() {
        assertThat(leases.register(id, Duration.ZERO)).isInstanceOf(Alive.class);
        return this;
    }

    public Beat beat() {
        return leases.beat(id, Duration.ZERO);
    }

    /** Claims up to this number of jobs on line 0. */
    public List<Claimed> take(int want, String... queues) {
        Reply reply = exchange(0, want, 1, List.of(queues), List.of());
        assertThat(reply.status()).isEqualTo(Status.OK);
        return reply.claimed();
    }

    /** Claims one job on line 0. */
    public Claimed takeOne(String queue) {
        List<Claimed> claimed = take(1, queue);
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    /** Settles on line 0 and claims nothing. */
    public Reply settle(Settlement... settlements) {
        return exchange(0, 0, 0, List.of(), List.of(settlements));
    }

    /** The next exchange of a line. */
    public Reply exchange(int line, int want, int suspects, List<String> queues, List<Settlement> settlements) {
        long number = numbers.merge(line, 1L, Long::sum);
        return repeat(new Call(line, number, want, suspects, queues, settlements));
    }

    /** The last exchange, which may be repeated. */
    public Call last() {
        return last;
    }

    public Reply repeat(Call call) {
        last = call;
        List<QueueLimit> limited = limits.stream()
                .filter(limit -> call.queues().contains(limit.queue()))
                .toList();
        return claims.exchange(new JobClaims.Request(
                id,
                call.line(),
                call.number(),
                MARK,
                call.want(),
                call.suspects(),
                call.queues(),
                call.settlements(),
                limited.isEmpty() ? ClaimGate.OPEN : new LimitedQueues(limited, threads)));
    }

    public static List<String> payloads(List<Claimed> claimed) {
        return claimed.stream().map(job -> ScriptTestBed.text(job.payload())).toList();
    }
}
