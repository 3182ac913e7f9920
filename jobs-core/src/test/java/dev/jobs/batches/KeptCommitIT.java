package dev.jobs.batches;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.store.ScriptTestBed;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A commit that an outbox keeps. */
class KeptCommitIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final BatchTestBed batches = new BatchTestBed(bed);

    @Test
    void isSmallHoweverLargeCallbacksAre() {
        String id = BatchTestBed.id(1);
        byte[] callback = bytes("{\"args\":[\"" + "x".repeat(100_000) + "\"]}");
        BatchDefinition definition = new BatchDefinition(
                "name",
                "",
                List.of("tag"),
                "",
                "",
                "",
                "",
                true,
                false,
                false,
                0,
                false,
                Map.of(BatchEvent.FINISHED, callback),
                List.of());
        batches.store.create(Lead.none(id), BatchTestBed.plan().definition(), true);
        batches.store.define(id, definition);
        byte[] kept = KeptCommit.write(List.of(new Complete(id, definition, true, List.of("mail"))));
        assertThat(kept).hasSizeLessThan(1_000);

        List<Complete> read = KeptCommit.read(kept);
        read.forEach(batch -> batches.store.define(batch.id(), batch.definition()));
        batches.store.commit(read);

        BatchReader.Found found = batches.reader.find(id).orElseThrow();
        assertThat(found.status().open()).isFalse();
        assertThat(found.definition().tags()).containsExactly("tag");
        assertThat(found.definition().callbacks().get(BatchEvent.FINISHED)).isEqualTo(callback);
    }

    @Test
    void isReadOnlyIfItIsOne() {
        assertThatThrownBy(() -> KeptCommit.read(new byte[] {9})).hasMessageContaining("unknown format 9");
        assertThatThrownBy(() -> KeptCommit.read(new byte[] {1, 0, 0})).hasMessage("damaged");
    }
}
