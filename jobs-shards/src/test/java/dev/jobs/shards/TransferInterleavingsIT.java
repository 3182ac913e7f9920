package dev.jobs.shards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StateSpace;
import dev.jobs.store.StateSpace.Size;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Processes that transfer a queue or abandon that, and workers of both shards, in each order of their steps. */
class TransferInterleavingsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final ScriptTestBed there =
            new ScriptTestBed(bed.redis, bed.redis.connections(TransferInterleavings.TARGET));

    private static TransferInterleavings explore(int states, Map<String, List<String>> actors) {
        StateSpace space = new StateSpace(bed);
        TransferInterleavings model = new TransferInterleavings(bed, there, space, actors);
        Size size = space.explore(model, model.start());
        assertThat(size.states()).isGreaterThanOrEqualTo(states);
        return model;
    }

    /** Each may die after any of its steps, and come back at any time. */
    @Test
    void twoProcessesTransferTheSameQueue() {
        List<String> thrice = List.of("take", "store", "settle", "take", "store", "settle", "take", "store", "settle");
        TransferInterleavings explored = explore(400, Map.of("A", thrice, "B", thrice));
        assertThat(explored.seen())
                .contains("TAKEN", "OPEN", "store STORED", "store LATE", "settled true", "settled false");
    }

    @Test
    void oneAbandonsWhatAnotherTransfers() {
        TransferInterleavings explored = explore(
                300,
                Map.of(
                        "A", List.of("take", "store", "settle", "take", "store", "settle"),
                        "B", List.of("take nothing", "refuse", "settle", "close"),
                        "C", List.of("take", "store", "settle")));
        assertThat(explored.seen())
                .contains(
                        "CLOSED", "refuse VOID", "refuse STORED", "store VOID", "given back true", "given back false");
    }

    // Each build takes a smaller one, the proof the one in full.

    @LongTest
    @Test
    void workersOfBothShardsTakeJobsOfASliceMeanwhile() {
        TransferInterleavings explored = explore(
                450,
                Map.of(
                        "A", List.of("take", "store", "settle"),
                        "B", List.of("take", "store", "settle"),
                        "here", List.of("work", "work last"),
                        "there", List.of("work", "work last")));
        assertThat(explored.seen()).contains("TAKEN", "OPEN", "settled true");
    }

    @LongTest
    @Test
    void workersOfBothShardsTakeJobsMeanwhile() {
        TransferInterleavings explored = explore(
                500,
                Map.of(
                        "A", List.of("take", "store", "settle", "take", "store", "settle"),
                        "B", List.of("take", "store", "settle"),
                        "here", List.of("work", "work", "work last"),
                        "there", List.of("work", "work", "work last")));
        assertThat(explored.seen()).contains("TAKEN", "OPEN", "settled true");
    }
}
