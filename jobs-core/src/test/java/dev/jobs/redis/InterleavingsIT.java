package dev.jobs.redis;

import static dev.jobs.redis.Program.Pulse.BEAT;
import static dev.jobs.redis.Program.Pulse.ROUND;
import static dev.jobs.redis.Program.Task.claim;
import static dev.jobs.redis.Program.Task.leave;
import static dev.jobs.redis.Program.Task.settle;
import static dev.jobs.redis.Program.Task.settleAndClaim;
import static dev.jobs.redis.Settlement.What.ACK;
import static dev.jobs.redis.Settlement.What.AGAIN;
import static dev.jobs.redis.Settlement.What.BACK;
import static dev.jobs.redis.Settlement.What.RETRY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.StateSpace.Size;
import java.util.SortedSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Few processes with few jobs, in every order that their steps can take. */
class InterleavingsIT {

    private static final String ONE = "{\"jid\":\"1\"}\n\u00ff";
    private static final String TWO = "{\"jid\":\"2\"}\0";
    private static final String THREE = "no job";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    /** What was seen shows that the orders were worth it, and the size that none was left out. */
    private record Explored(SortedSet<String> seen, Size size) {

        Explored showed(String... kinds) {
            assertThat(seen).contains(kinds);
            return this;
        }

        void hadAtLeast(int states, int transitions) {
            assertThat(size.states()).as("states").isGreaterThanOrEqualTo(states);
            assertThat(size.transitions()).as("transitions").isGreaterThanOrEqualTo(transitions);
        }
    }

    /** Fails at any order that breaks a promise. */
    private static Explored explore(Play play) {
        StateSpace space = new StateSpace(bed);
        CustodyModel model = new CustodyModel(play, new CustodyScripts(bed, space));
        Size size = space.explore(model, model.start());
        return new Explored(model.seen(), size);
    }

    @Test
    void callsAreLostAndRepeatedAndComeLate() {
        explore(Play.about(ONE, TWO, THREE)
                        .with(Program.of("A", claim(2), settleAndClaim(1, ACK, BACK), settle(RETRY), leave())
                                .withFaults(2))
                        .with(Program.of("B", claim(1), settle(AGAIN), leave())))
                .showed("OK", "FENCED", "REPLAY", "STALE", "settled too late", "left", "registered too late")
                .hadAtLeast(2_394, 6_345);
    }

    @Test
    void aProcessIsGivenUpAndReapedAndGoesOnUnderAnotherIdentity() {
        explore(Play.about(ONE, TWO)
                        .with(Program.of("A", claim(2), settle(ACK, RETRY), claim(1))
                                .beating(BEAT)
                                .withFaults(1))
                        .with(Program.of("B").beating(ROUND, ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "REPLAY", "STALE", "settled too late")
                .showed("beat too late", "reaped", "not to be reaped")
                .hadAtLeast(8_327, 19_858);
    }

    @Test
    void aRegistrationComesWhenItsProcessHasGoneOnUnderAnotherIdentity() {
        explore(Play.about(ONE, TWO)
                        .with(Program.of("A", claim(1), settle(ACK)).withFaults(2))
                        .with(Program.of("B", claim(1)).beating(ROUND, ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "REPLAY", "settled too late")
                .showed("registered too late", "reaped", "reaped nothing")
                .hadAtLeast(13_111, 37_924);
    }

    @Test
    void twoReapersHandOnTheSameJobs() {
        explore(Play.about(ONE, TWO)
                        .with(Program.of("A", claim(2), settle(ACK), leave()))
                        .with(Program.of("B", claim(1), settle(BACK)).beating(ROUND))
                        .withReapers(2, 2))
                .showed("OK", "FENCED", "settled too late")
                .showed("reaped", "reaped nothing", "not to be reaped", "left with jobs")
                .hadAtLeast(10_945, 32_134);
    }

    @Test
    void eachGivesUpTheOther() {
        explore(Play.about(ONE, TWO)
                        .with(Program.of("A", claim(1), settleAndClaim(1, ACK)).beating(ROUND))
                        .with(Program.of("B", claim(1), settle(RETRY), leave()).beating(ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "settled too late", "beat too late", "reaped", "not to be reaped", "left")
                .hadAtLeast(3_340, 6_987);
    }
}
