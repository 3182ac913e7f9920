package dev.jobs.store;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.Ledger.Totals;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.InterleavingCall.Beat;
import dev.jobs.store.InterleavingCall.Delivery;
import dev.jobs.store.InterleavingCall.Exchange;
import dev.jobs.store.InterleavingCall.Leave;
import dev.jobs.store.InterleavingCall.Reap;
import dev.jobs.store.InterleavingCall.Registration;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.ProcessPlan.Pulse;
import dev.jobs.store.StateSpace.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Calls the real scripts, each on given contents of Redis. */
final class InterleavingScripts {

    /**
     * One miss gives up a process, instead of seven, which keeps paths short; and no round becomes due by itself during
     * a test.
     */
    private static final int MISSES = 1;

    private static final int LEASE_MILLIS = 3_600_000;

    private final ScriptTestBed bed;
    private final StateSpace space;

    InterleavingScripts(ScriptTestBed bed, StateSpace space) {
        this.bed = bed;
        this.space = space;
    }

    /** Puts jobs into an otherwise empty Redis. */
    RedisContents start(List<String> jobs) {
        bed.clear();
        jobs.forEach(job -> bed.push(InterleavingCall.QUEUE, job));
        return new RedisContents(space.look());
    }

    private <A> Change<A> make(RedisContents before, Object call, Supplier<A> run) {
        return space.make(before.stored(), call, run);
    }

    /** Returns whether the process lives now. */
    Change<Boolean> register(RedisContents before, Registration call) {
        return make(before, call, () -> beat(call.incarnation(), true));
    }

    /** Returns whether the process still lives. */
    Change<Boolean> beat(RedisContents before, Beat call) {
        return make(before, call, () -> {
            if (call.finds() == Pulse.ROUND) {
                bed.letARoundBeDue();
            }
            return beat(call.incarnation(), false);
        });
    }

    private boolean beat(String incarnation, boolean register) {
        byte[][] keys = {
            bed.keys.beats(), bed.keys.seen(), bed.keys.round(), bed.keys.inFlight(incarnation), bed.keys.leader()
        };
        byte[][] arguments = {
            Bytes.of(incarnation), Bytes.of(LEASE_MILLIS), Bytes.of(MISSES), Bytes.of(register ? 1 : 0), Bytes.of(0)
        };
        return !Bytes.text(
                        bed.connection.call(ProcessLeases.BEAT, keys, arguments).get(0))
                .equals("fenced");
    }

    Change<Reply> exchange(RedisContents before, Exchange call) {
        return make(before, call, () -> bed.worker(call.incarnation())
                .claims
                .exchange(new JobClaims.Request(
                        call.incarnation(),
                        0,
                        call.number(),
                        "m",
                        call.want(),
                        1,
                        List.of(InterleavingCall.QUEUE),
                        call.deliveries().stream().map(Delivery::settlement).toList(),
                        ClaimGate.OPEN)));
    }

    /** Returns how many jobs the process still held. */
    Change<Integer> leave(RedisContents before, Leave call) {
        return make(before, call, () -> bed.leases().leave(call.incarnation()));
    }

    /** Returns whether the victim was removed. */
    Change<Boolean> reap(RedisContents before, Reap call) {
        return make(before, call, () -> reap(call));
    }

    private boolean reap(Reap call) {
        byte[][] keys = {
            bed.keys.inFlight(call.victim()),
            bed.keys.beats(),
            bed.keys.seen(),
            bed.keys.ledger(),
            bed.keys.recovered(),
            bed.keys.recoveredTimes(),
            bed.keys.dead(),
            bed.keys.queues(),
            bed.keys.queue(InterleavingCall.QUEUE)
        };
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(call.victim()),
                Bytes.of(ScriptTestBed.MAX_RECOVERIES),
                Bytes.of(Duration.ofHours(72).toSeconds()),
                Bytes.of(ScriptTestBed.LIMITS.maxJobs()),
                Bytes.of(ScriptTestBed.LIMITS.retention().toSeconds()),
                Bytes.of(call.token().isEmpty() ? 0 : 1)));
        List<byte[]> all = new ArrayList<>(List.of(keys));
        if (!call.token().isEmpty()) {
            EffectEncoder effects = new EffectEncoder(new RedisKeys(""));
            effects.add(1, List.of(ScriptTestBed.count("handed on")));
            arguments.addAll(List.of(
                    Bytes.of(call.token()), Bytes.of(1), Bytes.of(InterleavingCall.QUEUE), Bytes.of(0), new byte[0]));
            effects.appendTo(all, arguments);
        }
        List<Object> answer =
                bed.connection.call(ProcessLeases.REAP, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        return answer.size() > 1 && Bytes.number(answer.get(3)) == 1;
    }

    Change<Totals> books(RedisContents before) {
        return make(before, "books", bed::books);
    }

    /** Gives up and reaps all processes but a new one. Returns the new one's name. */
    Change<String> sweep(RedisContents before) {
        return make(before, "sweep", this::sweep);
    }

    private String sweep() {
        String newcomer = "last";
        for (int round = 0; round <= MISSES; round++) {
            bed.letARoundBeDue();
            beat(newcomer, true);
        }
        ProcessLeases leases = bed.leases();
        leases.givenUp().forEach(leases::reap);
        return newcomer;
    }
}
