package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.plan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchTestBed.Plan;
import dev.jobs.proof.LongTest;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StateSpace;
import dev.jobs.store.StateSpace.Size;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Two workers, a reaper, a person and two leaders with a batch of three jobs, in each order of their steps. */
class BatchInterleavingsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static BatchInterleavings explore(Plan plan, int states, Map<String, List<String>> actors) {
        StateSpace space = new StateSpace(bed);
        BatchInterleavings model = new BatchInterleavings(bed, space, plan, actors);
        Size size = space.explore(model, model.start());
        assertThat(size.states()).isGreaterThanOrEqualTo(states);
        return model;
    }

    private static Plan calledBack(BatchEvent... events) {
        return plan().callsBack(BatchTestBed.id(1), events);
    }

    @LongTest
    @Test
    void aWorkerIsReapedWhileTwoLeadersLook() {
        BatchInterleavings explored = explore(
                calledBack(BatchEvent.ATTEMPTED, BatchEvent.FINISHED),
                1_000,
                Map.of(
                        "A", List.of("claim 2", "note", "settle done retried"),
                        "B", List.of("claim 1", "settle failed"),
                        "reaper", List.of("forget A", "reap A"),
                        "leader 1", List.of("read", "finish", "read", "finish"),
                        "leader 2", List.of("read", "finish")));
        assertThat(explored.seen()).contains("attempted", "finished", "ssf");
    }

    // Each build takes a smaller one, the proof the one in full.

    @Test
    void aPersonDeletesAndRevivesJobsWhileALeaderLooks() {
        BatchInterleavings explored = explore(
                calledBack(BatchEvent.FINISHED, BatchEvent.SUCCEEDED, BatchEvent.DIED),
                200,
                Map.of(
                        "A", List.of("claim 3", "settle dead done done"),
                        "person", List.of("trash", "restore", "revive"),
                        "leader 1", List.of("read", "finish"),
                        "leader 2", List.of("read")));
        assertThat(explored.seen()).contains("died", "dss");
    }

    @LongTest
    @Test
    void aPersonDeletesAndRevivesJobsWhileTwoLeadersLook() {
        BatchInterleavings explored = explore(
                calledBack(BatchEvent.FINISHED, BatchEvent.SUCCEEDED, BatchEvent.DIED),
                3_000,
                Map.of(
                        "A", List.of("claim 2", "settle dead done"),
                        "B", List.of("claim 1", "settle done"),
                        "person", List.of("trash", "restore", "revive"),
                        "leader 1", List.of("read", "finish"),
                        "leader 2", List.of("read", "finish")));
        assertThat(explored.seen()).contains("finished", "succeeded", "died", "sss", "dss");
    }
}
