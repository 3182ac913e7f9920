package dev.jobs.batches;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.store.ScriptTestBed;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Notes of Ruby's workers reach their batches, each once; anything else on their list is dropped. */
class RubyNotesIT {

    private static final String NOTES = "jobs:batches:notes";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final BatchTestBed batches = new BatchTestBed(bed);
    private final RubyNotes notes = new RubyNotes(bed.connection, bed.keys);
    private String id = "";

    @BeforeEach
    void aBatchOfFive() {
        bed.clear();
        id = batches.batch(1, 5, BatchTestBed.plan());
    }

    private void note(long index, String rest) {
        bed.redis.texts().lpush(NOTES, new BatchJobId(id, index).jid() + " " + rest);
    }

    private int applyAll() {
        int all = 0;
        int some;
        do {
            some = notes.applySome();
            all += some;
        } while (some > 0);
        batches.assertExact(id);
        assertThat(bed.redis.texts().exists(NOTES)).isZero();
        return all;
    }

    @Test
    void tellTheBatchWhatBecameOfItsJobs() {
        note(0, "s");
        note(1, "r \"RuntimeError: no\"");
        note(2, "r \"RuntimeError: never\"");
        note(2, "d");
        note(3, "x");

        assertThat(applyAll()).isEqualTo(5);

        assertThat(batches.states(id)).isEqualTo("srdxq");
        assertThat(batches.reader.jobs(id, Set.of(), -1, 10).jobs())
                .extracting(BatchJob::messages)
                .extracting(Object::toString)
                .containsExactly("[]", "[RuntimeError: no]", "[RuntimeError: never]", "[]", "[]");
    }

    @Test
    void repeatedOnesChangeNothing() {
        note(0, "s");
        note(0, "s");
        note(0, "r");
        note(1, "d");
        note(1, "d");

        applyAll();

        assertThat(batches.states(id)).isEqualTo("sdqqq");
    }

    @Test
    void endABatch() {
        for (int index = 0; index < 5; index++) {
            note(index, "s");
        }
        applyAll();

        assertThat(batches.rest()).containsExactly(id);
        batches.lookAtAll();
        assertThat(batches.counters(id)).containsKey("succeeded");
    }

    @Test
    void mayBeManyOrLarge() {
        String large = "\"" + "x".repeat(400_000) + "\"";
        note(0, "r " + large);
        note(1, "r " + large);
        for (int i = 0; i < 250; i++) {
            note(2, "r");
        }
        assertThat(applyAll()).isEqualTo(252);

        assertThat(batches.states(id)).isEqualTo("rrrqq");
        assertThat(batches.reader
                        .jobs(id, Set.of(), -1, 1)
                        .jobs()
                        .get(0)
                        .messages()
                        .get(0))
                .hasSize(501);
    }

    @Test
    void whatIsNoNoteIsDropped() {
        note(0, "s");
        bed.redis
                .texts()
                .lpush(NOTES, "", "x", "{\"jid\":1}", "00c0ffee00c0ffee0000000g s", id + "00000001", id + "00000001 ");
        note(1, "z");
        note(1, "ss");
        note(1, "");
        note(4_000_000_000L, "s");
        note(77, "s");
        bed.redis.texts().lpush(NOTES, "ffffffffffffffff00000000 s");
        bed.redis.bytes().lpush(bytes(NOTES), new byte[] {0, -1, '\n'});
        note(2, "r not json");
        note(3, "r {}");

        assertThat(applyAll()).isEqualTo(16);

        assertThat(batches.states(id)).isEqualTo("sqrrq");
        assertThat(bed.redis.texts().exists("jobs:batch:ffffffffffffffff")).isZero();
    }

    @Test
    void stayIfTheirKeyIsNoList() {
        bed.redis.texts().set(NOTES, "a text");

        assertThat(notes.applySome()).isZero();
        assertThat(bed.redis.texts().get(NOTES)).isEqualTo("a text");
    }

    @Test
    void turnBackADoubtedJob() {
        bed.redis.texts().set("jobs:batch:" + id + ":s", "QWqqq");
        note(0, "r");
        note(1, "s");

        applyAll();

        assertThat(batches.states(id)).isEqualTo("rsqqq");
    }

    @Test
    void expiredBatchesLeaveTheLists() {
        String other = batches.batch(2, 1, BatchTestBed.plan());
        bed.redis.texts().del("jobs:batch:" + id);

        assertThat(batches.reader.forgetExpired(batches.reader.oldest(0, 10))).isEqualTo(1);

        assertThat(bed.members("jobs:batches")).containsExactly(other);
        assertThat(bed.members("jobs:batches:open")).containsExactly(other);
        assertThat(batches.reader.forgetExpired(java.util.List.of())).isZero();
        id = other;
    }
}
