package dev.jobs.store;

import static dev.jobs.store.ProcessPlan.Pulse.BEAT;
import static dev.jobs.store.ProcessPlan.Pulse.ROUND;
import static dev.jobs.store.ProcessPlan.Task.claim;
import static dev.jobs.store.ProcessPlan.Task.leave;
import static dev.jobs.store.ProcessPlan.Task.settle;
import static dev.jobs.store.ProcessPlan.Task.settleAndClaim;
import static dev.jobs.store.Settlement.Kind.DONE;
import static dev.jobs.store.Settlement.Kind.HANDED_BACK;
import static dev.jobs.store.Settlement.Kind.INTERRUPTED;
import static dev.jobs.store.Settlement.Kind.RETRIED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.store.StateSpace.Size;
import java.util.SortedSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A few processes with a few jobs, in every possible order of their steps. */
class InterleavingsIT {

    private static final String ONE = "{\"jid\":\"1\"}\n\u00ff";
    private static final String TWO = "{\"jid\":\"2\"}\0";
    private static final String THREE = "no job";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    /** The kinds of events show that the orders matter, and the size shows that none was left out. */
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

    /** Fails if any order violates an invariant. */
    private static Explored explore(InterleavingScenario scenario) {
        StateSpace space = new StateSpace(bed);
        InterleavingModel model = new InterleavingModel(scenario, new InterleavingScripts(bed, space));
        Size size = space.explore(model, model.start());
        return new Explored(model.seen(), size);
    }

    // Each build takes the smallest scenarios that show what matters, the proof those in full.

    @LongTest
    @Test
    void aCallIsLostRepeatedOrLate() {
        explore(InterleavingScenario.withJobs(ONE, TWO)
                        .with(ProcessPlan.of("A", claim(1), settleAndClaim(1, DONE), settle(RETRIED), leave())
                                .withFaults(1))
                        .with(ProcessPlan.of("B", claim(1), leave())))
                .showed("OK", "FENCED", "REPLAY", "STALE", "settled too late", "left", "registered too late")
                .hadAtLeast(415, 814);
    }

    @LongTest
    @Test
    void callsAreLostRepeatedOrLate() {
        explore(InterleavingScenario.withJobs(ONE, TWO, THREE)
                        .with(ProcessPlan.of(
                                        "A", claim(2), settleAndClaim(1, DONE, HANDED_BACK), settle(RETRIED), leave())
                                .withFaults(2))
                        .with(ProcessPlan.of("B", claim(1), settle(INTERRUPTED), leave())))
                .showed("OK", "FENCED", "REPLAY", "STALE", "settled too late", "left", "registered too late")
                .hadAtLeast(2_394, 6_345);
    }

    @Test
    void aProcessWithOneJobIsGivenUpAndReapedAndGoesOn() {
        explore(InterleavingScenario.withJobs(ONE)
                        .with(ProcessPlan.of("A", claim(1), settle(DONE), claim(1))
                                .withFaults(1))
                        .with(ProcessPlan.of("B").beating(ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "REPLAY", "settled too late", "registered too late", "reaped")
                .hadAtLeast(917, 1_818);
    }

    @LongTest
    @Test
    void aProcessIsGivenUpAndReapedAndGoesOnUnderAnotherIdentity() {
        explore(InterleavingScenario.withJobs(ONE, TWO)
                        .with(ProcessPlan.of("A", claim(2), settle(DONE, RETRIED), claim(1))
                                .beating(BEAT)
                                .withFaults(1))
                        .with(ProcessPlan.of("B").beating(ROUND, ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "REPLAY", "STALE", "settled too late")
                .showed("beat too late", "reaped", "not to be reaped")
                .hadAtLeast(8_327, 19_858);
    }

    @LongTest
    @Test
    void aRegistrationArrivesAfterItsProcessTookAnotherIdentity() {
        explore(InterleavingScenario.withJobs(ONE, TWO)
                        .with(ProcessPlan.of("A", claim(1), settle(DONE)).withFaults(2))
                        .with(ProcessPlan.of("B", claim(1)).beating(ROUND, ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "REPLAY", "settled too late")
                .showed("registered too late", "reaped", "reaped nothing")
                .hadAtLeast(13_111, 37_924);
    }

    @LongTest
    @Test
    void twoReapersHandOnTheSameJobs() {
        explore(InterleavingScenario.withJobs(ONE, TWO)
                        .with(ProcessPlan.of("A", claim(2), settle(DONE), leave()))
                        .with(ProcessPlan.of("B", claim(1), settle(HANDED_BACK)).beating(ROUND))
                        .withReapers(2, 2))
                .showed("OK", "FENCED", "settled too late")
                .showed("reaped", "reaped nothing", "not to be reaped", "left with jobs")
                .hadAtLeast(10_945, 32_134);
    }

    @LongTest
    @Test
    void twoProcessesWithOneJobGiveEachOtherUp() {
        explore(InterleavingScenario.withJobs(ONE)
                        .with(ProcessPlan.of("A", claim(1), settle(DONE)).beating(ROUND))
                        .with(ProcessPlan.of("B", claim(1), settle(RETRIED)).beating(ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "settled too late", "beat too late", "reaped", "not to be reaped")
                .hadAtLeast(933, 1_752);
    }

    @LongTest
    @Test
    void twoProcessesGiveEachOtherUp() {
        explore(InterleavingScenario.withJobs(ONE, TWO)
                        .with(ProcessPlan.of("A", claim(1), settleAndClaim(1, DONE))
                                .beating(ROUND))
                        .with(ProcessPlan.of("B", claim(1), settle(RETRIED), leave())
                                .beating(ROUND))
                        .withReapers(1, 1))
                .showed("OK", "FENCED", "settled too late", "beat too late", "reaped", "not to be reaped", "left")
                .hadAtLeast(3_340, 6_987);
    }
}
