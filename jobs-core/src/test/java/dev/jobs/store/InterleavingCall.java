package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;

import dev.jobs.store.Settlement.Kind;
import java.time.Duration;
import java.util.List;

/** A call of a script. Equal calls have the same effect on the same contents. */
sealed interface InterleavingCall {

    /** The queue of all jobs. */
    String QUEUE = "mail";

    /** A settled job, as the process knows it. */
    record Delivery(Kind outcome, String token, String payload) {

        /** Every settlement but a plain ack counts its executions. */
        Settlement settlement() {
            Settlement settlement = outcome == Kind.DONE ? Settlement.done(token) : move();
            return settlement.isPlainAck() ? settlement : settlement.with(List.of(ScriptTestBed.count("settled")));
        }

        private Settlement move() {
            return switch (outcome) {
                case DONE -> Settlement.done(token);
                case DISCARDED -> Settlement.discarded(token);
                case FAILED -> Settlement.failed(token);
                case SKIPPED -> Settlement.skipped(token);
                case RETRIED -> Settlement.retried(token, Duration.ZERO, bytes(payload));
                case DEAD -> Settlement.dead(token, bytes(payload), true);
                case HANDED_BACK -> Settlement.handedBack(token, QUEUE, true);
                case INTERRUPTED -> Settlement.interrupted(token, QUEUE, bytes(payload));
                case POSTPONED -> Settlement.postponed(token, Duration.ZERO, bytes(payload));
            };
        }

        boolean ends() {
            return outcome == Kind.DONE
                    || outcome == Kind.DISCARDED
                    || outcome == Kind.FAILED
                    || outcome == Kind.SKIPPED;
        }

        @Override
        public String toString() {
            return outcome + " " + token;
        }
    }

    record Registration(String incarnation) implements InterleavingCall {

        @Override
        public String toString() {
            return incarnation + " registers";
        }
    }

    /** @param finds whether a round is due */
    record Beat(String incarnation, ProcessPlan.Pulse finds) implements InterleavingCall {

        @Override
        public String toString() {
            return incarnation + " " + finds;
        }
    }

    record Exchange(String incarnation, long number, int want, List<Delivery> deliveries) implements InterleavingCall {

        @Override
        public String toString() {
            return incarnation + " call " + number + " claims " + want + " and settles " + deliveries;
        }
    }

    record Leave(String incarnation) implements InterleavingCall {

        @Override
        public String toString() {
            return incarnation + " leaves";
        }
    }

    /** @param token the token of the job to be handed on, or empty if there is none */
    record Reap(String victim, String token) implements InterleavingCall {

        @Override
        public String toString() {
            return "reaps " + victim + " of " + (token.isEmpty() ? "nothing" : token);
        }
    }
}
