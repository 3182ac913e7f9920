package dev.jobs.redis;

import static dev.jobs.redis.ScriptTestBed.bytes;

import dev.jobs.redis.Settlement.What;
import java.time.Duration;
import java.util.List;

/** A call of a script. Equal calls have the same effect on the same contents. */
sealed interface InterleavingCall {

    /** The queue of all jobs. */
    String QUEUE = "mail";

    /** A settled job, as the process knows it. */
    record Delivery(What what, String token, String payload) {

        /** Every settlement but a plain ack counts its executions. */
        Settlement settlement() {
            Settlement settlement = what == What.ACK ? Settlement.ack(token) : move();
            return settlement.isPlainAck() ? settlement : settlement.with(List.of(ScriptTestBed.count("settled")));
        }

        private Settlement move() {
            return switch (what) {
                case ACK -> Settlement.ack(token);
                case DROP -> Settlement.drop(token);
                case RETRY -> Settlement.retry(token, Duration.ZERO, bytes(payload));
                case DEAD -> Settlement.dead(token, bytes(payload), true);
                case BACK -> Settlement.back(token, QUEUE, true);
                case AGAIN -> Settlement.again(token, QUEUE, bytes(payload));
            };
        }

        boolean ends() {
            return what == What.ACK || what == What.DROP;
        }

        @Override
        public String toString() {
            return what + " " + token;
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
