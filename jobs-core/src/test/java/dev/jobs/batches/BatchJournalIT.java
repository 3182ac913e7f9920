package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobCall;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientTestBed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchJournalIT {

    private static final ClientTestBed bed = new ClientTestBed();

    /** What the journal was told, with the number of jobs that Redis had by then. */
    private final List<String> told = new ArrayList<>();

    private final List<String> payloads = new ArrayList<>();
    private @Nullable RuntimeException failure;
    private RedisJobClient client;
    private RedisBatches batches;

    private final BatchJournal journal = new BatchJournal() {
        @Override
        public void begun(String batch, String name, boolean inTransaction) {
            told.add("begun " + name + " " + inTransaction);
            fail("begun");
        }

        @Override
        public void adding(String batch, List<Entry> jobs, boolean inTransaction) {
            told.add("adding " + jobs.stream().map(Entry::index).toList() + " " + inTransaction + " "
                    + batches.find(batch).orElseThrow().total());
            jobs.forEach(job -> payloads.add(
                    job.payload() == null ? "refused" : new String(job.payload(), StandardCharsets.UTF_8)));
            fail("adding");
        }

        private void fail(String step) {
            if (failure != null && step.equals(failure.getMessage())) {
                throw failure;
            }
        }
    };

    @BeforeEach
    void open() {
        bed.clear();
        EnqueueMiddleware refusing = (payload, next) -> payload.rawArgs().length > 3 ? null : next.proceed(payload);
        client = bed.client(refusing);
        batches = new RedisBatches(bed.redis.connections(""), client, new Random(7), journal);
    }

    @AfterEach
    void close() {
        batches.close();
        client.close();
    }

    @AfterAll
    static void stop() {
        bed.close();
    }

    @Test
    void jobsAreRecordedBeforeTheyAreStored() {
        batches.create("a", batch -> batch.add(JobCall.named("A", 1))
                .add(JobCall.named("A", "refused"))
                .child("b", child -> child.add(JobCall.named("A", 2))));
        assertThat(told)
                .containsExactly("begun a false", "begun b false", "adding [0] false 0", "adding [0, 1] false 0");
        assertThat(payloads).hasSize(3).contains("refused").anyMatch(payload -> payload.contains("\"args\":[2]"));
    }

    @Test
    void aFilledBatchIsRecordedSliceBySlice() {
        try (OpenBatch batch = batches.open("a", "key")) {
            batch.add(JobCall.named("A", 1));
            batch.flush();
            batch.add(5, JobCall.named("A", 5));
            batch.commit();
        }
        assertThat(told).containsExactly("begun a false", "adding [0] false 0", "adding [5] false 1");
    }

    @Test
    void nothingIsStoredIfTheBatchCannotBeRecorded() {
        failure = new IllegalStateException("begun");
        assertThatThrownBy(() -> batches.open("a")).isSameAs(failure);
        assertThatThrownBy(() -> batches.create("a", batch -> {})).isSameAs(failure);
        assertThat(bed.redis.texts().keys("*")).isEmpty();
    }

    @Test
    void nothingIsStoredIfJobsCannotBeRecorded() {
        failure = new IllegalStateException("adding");
        assertThatThrownBy(() -> batches.create("a", batch -> batch.add(JobCall.named("A", 1))))
                .isSameAs(failure);
        assertThat(bed.redis.texts().keys("*")).isEmpty();
        assertThatThrownBy(() -> {
                    try (OpenBatch batch = batches.open("b")) {
                        batch.add(JobCall.named("A", 1));
                    }
                })
                .isSameAs(failure);
        assertThat(bed.redis.texts().keys("queue*")).isEmpty();
    }

    @Test
    void aRecordedBatchSaysSoUntilItIsArchived() {
        String id = batches.create("a", batch -> batch.add(JobCall.named("A", 1)));
        String definition = "jobs:batch:" + id + ":d";
        assertThat(bed.redis.texts().hget(definition, "unarchived")).isEqualTo("1");
        bed.redis.texts().del("jobs:batches:rest");
        try (BatchArchiving archive = new BatchArchiving(bed.redis.connections(""))) {
            assertThat(archive.jobs(id, -1).jobs()).hasSize(1);
            assertThat(archive.statuses(List.of(id))).containsKey(id);
            archive.archived(id);
            assertThat(bed.redis.texts().hexists(definition, "unarchived")).isFalse();
            assertThat(bed.redis.texts().zrange("jobs:batches:rest", 0, -1)).containsExactly(id);
            bed.redis.texts().del("jobs:batches:rest");
            archive.archived(id);
            assertThat(bed.redis.texts().exists("jobs:batches:rest")).as("once").isZero();
        }
        try (RedisBatches plain = new RedisBatches(bed.redis.connections(""), client, new Random(8))) {
            String other = plain.create("a", batch -> batch.add(JobCall.named("A", 1)));
            assertThat(bed.redis.texts().hexists("jobs:batch:" + other + ":d", "unarchived"))
                    .isFalse();
        }
    }
}
