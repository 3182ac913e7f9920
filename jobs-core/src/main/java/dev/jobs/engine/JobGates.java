package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Several gates as one. A queue is shut as long as any of them shuts it, and a job starts once all let it. It asks those
 * that hold it back one after the other, and keeps what one gave while it waits for the next.
 */
record JobGates(List<JobGate> gates) implements JobGate {

    /**
     * The numbers of the gates that hold a job back, for the thread that has the job: the one that holds the fetcher's
     * lock while the job waits, and the one that is about to run it. Attached to such jobs.
     */
    private record HeldBack(BitSet by) {}

    JobGates {
        gates = List.copyOf(gates);
    }

    private boolean any(Predicate<JobGate> which) {
        return gates.stream().anyMatch(which);
    }

    @Override
    public boolean mayShut(String queue) {
        return any(gate -> gate.mayShut(queue));
    }

    @Override
    public boolean isShut(String queue) {
        return any(gate -> gate.isShut(queue));
    }

    @Override
    public ClaimGate claimGate(
            List<String> queues, HeldJobs held, List<ClaimedJob> batch, @Nullable Exchange underWay) {
        ClaimGate all = ClaimGate.OPEN;
        for (JobGate gate : gates) {
            all = all.and(gate.claimGate(queues, held, batch, underWay));
        }
        return all;
    }

    @Override
    public ClaimGate standingClaimGate(List<String> queues) {
        ClaimGate all = ClaimGate.OPEN;
        for (JobGate gate : gates) {
            all = all.and(gate.standingClaimGate(queues));
        }
        return all;
    }

    @Override
    public void answered(List<String> queues, ClaimGate.@Nullable Shut shut) {
        gates.forEach(gate -> gate.answered(queues, shut));
    }

    @Override
    public boolean mayFreeQueue(ClaimedJob job) {
        return any(gate -> gate.mayFreeQueue(job));
    }

    @Override
    public boolean mayHaveSuccessor(ClaimedJob job) {
        return any(gate -> gate.mayHaveSuccessor(job));
    }

    @Override
    public List<Effect> givenBack(ClaimedJob job) {
        List<Effect> all = new ArrayList<>();
        gates.forEach(gate -> all.addAll(gate.givenBack(job)));
        return all;
    }

    @Override
    public boolean mayStart(ClaimedJob job) {
        return letsAll(job, gate -> gate.mayStart(job));
    }

    @Override
    public boolean mayRun(ClaimedJob job) {
        return letsAll(job, gate -> gate.mayRun(job));
    }

    private boolean letsAll(ClaimedJob job, Predicate<JobGate> lets) {
        BitSet by = new BitSet();
        for (int i = 0; i < gates.size(); i++) {
            by.set(i, !lets.test(gates.get(i))); // each has to know the job
        }
        if (!by.isEmpty()) {
            job.part(HeldBack.class, () -> new HeldBack(new BitSet())).by().or(by);
        }
        return by.isEmpty();
    }

    @Override
    public Asks asks(CapsuleConfig capsule, Waiting waiting, JobClaims claims, RunContext context) {
        List<Asks> all = new ArrayList<>();
        for (int i = 0; i < gates.size(); i++) {
            all.add(gates.get(i).asks(capsule, new WaitingFor(i, waiting, gates), claims, context));
        }
        return new Asks() {
            @Override
            public boolean isDue() {
                return all.stream().anyMatch(Asks::isDue);
            }

            @Override
            public int ask(Incarnation incarnation) {
                int parked = 0;
                for (Asks each : all) {
                    parked += each.isDue() ? each.ask(incarnation) : 0;
                }
                return parked;
            }
        };
    }

    private static BitSet by(ClaimedJob job) {
        return Objects.requireNonNull(job.part(HeldBack.class)).by();
    }

    /** The jobs whose turn it is to wait for one gate: no gate before it holds them back. */
    private record WaitingFor(int number, Waiting all, List<JobGate> gates) implements Waiting {

        private boolean isMine(ClaimedJob job) {
            return by(job).nextSetBit(0) == number;
        }

        @Override
        public boolean isAny(Predicate<? super ClaimedJob> which) {
            return all.isAny(job -> isMine(job) && which.test(job));
        }

        @Override
        public List<ClaimedJob> some(Predicate<? super ClaimedJob> which) {
            return all.some(job -> isMine(job) && which.test(job));
        }

        @Override
        public void toEnd(ClaimedJob job) {
            all.toEnd(job);
        }

        @Override
        public void admitted(ClaimedJob job) {
            by(job).clear(number);
            if (by(job).isEmpty()
                    || job.part(JobPart.Refusal.class) != null) { // it has not to ask where it is not to be run
                all.admitted(job);
            }
        }

        @Override
        public List<Effect> parking(ClaimedJob job) {
            List<Effect> effects = new ArrayList<>(all.parking(job));
            for (int i = 0; i < gates.size(); i++) {
                if (i != number) {
                    effects.addAll(gates.get(i).givenBack(job));
                }
            }
            return effects;
        }

        @Override
        public void parked(ClaimedJob job) {
            all.parked(job);
        }

        @Override
        public void gone(ClaimedJob job) {
            all.gone(job);
        }
    }
}
