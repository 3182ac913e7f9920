package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StateSpace;
import dev.jobs.store.StateSpace.Size;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Two workers, a reaper and a leader with three jobs of a key of which one may run, in each order of their steps. */
class LimitInterleavingsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static LimitInterleavings explore(int states, Map<String, List<String>> actors) {
        StateSpace space = new StateSpace(bed);
        LimitInterleavings model = new LimitInterleavings(bed, space, actors);
        Size size = space.explore(model, model.start());
        assertThat(size.states()).isGreaterThanOrEqualTo(states);
        return model;
    }

    @LongTest
    @Test
    void aWorkerIsReapedWhileAnotherOneAsksAndTheLeaderLooks() {
        LimitInterleavings explored = explore(
                1_000,
                Map.of(
                        "A", List.of("claim 2", "admit", "go done", "admit"),
                        "B", List.of("claim 2", "admit", "go done", "settle done"),
                        "reaper", List.of("forget A", "reap A"),
                        "leader", List.of("look", "look")));
        assertThat(explored.seen()).contains("ADMITTED", "PARKED", "handed over");
    }

    @Test
    void aJobThatIsHandedBackOrRetriedGivesWay() {
        LimitInterleavings explored = explore(
                130,
                Map.of(
                        "A", List.of("claim 2", "admit", "settle handed-back"),
                        "B", List.of("claim 1", "admit", "go retried"),
                        "leader", List.of("promote")));
        assertThat(explored.seen()).contains("ADMITTED", "PARKED", "handed over");
    }

    @LongTest
    @Test
    void jobsThatAreHandedBackOrRetriedGiveWay() {
        LimitInterleavings explored = explore(
                1_000,
                Map.of(
                        "A", List.of("claim 3", "admit", "settle handed-back", "claim 1", "admit"),
                        "B", List.of("claim 1", "admit", "go retried", "admit", "settle done"),
                        "leader", List.of("look", "promote", "look")));
        assertThat(explored.seen()).contains("ADMITTED", "PARKED", "handed over");
    }
}
