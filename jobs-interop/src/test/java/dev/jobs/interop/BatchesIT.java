package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchAudit;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Ruby's workers run some jobs of Java's batches. */
@NeedsSidekiq
class BatchesIT {

    private static final Pattern MIDDLEWARE = Pattern.compile("```ruby\n(# Notes for Java .*?)```", Pattern.DOTALL);

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("batches");

    private static final RedisBatches batches = bed.batches();

    /** A worker that has loaded the middleware which docs/sidekiq.md shows. */
    private static RubyWorker notingWorker(String name, String queue) {
        return bed.rubyWorker(name, "-r", "./" + script(), "-q", queue, "-c", "3");
    }

    private static Path script() {
        try {
            Matcher found = MIDDLEWARE.matcher(Files.readString(Path.of("..", "docs", "sidekiq.md")));
            assertThat(found.find()).as("the middleware in docs/sidekiq.md").isTrue();
            Path script = bed.file("noting_worker.rb");
            Path worker = Ruby.SCRIPTS.resolve("worker.rb");
            return Files.writeString(
                    script, "require \"./" + worker.toString().replace('\\', '/') + "\"\n" + found.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<JobCall> brief(String queue, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> JobCall.named("Interop::Brief", number).queue(queue));
    }

    private static BatchStatus status(String id) {
        return batches.find(id).orElseThrow();
    }

    private static BatchStatus awaitEnd(String id) {
        InteropTestBed.await("the batch to finish", () -> status(id).isFinished());
        return status(id);
    }

    private static List<BatchJob> jobs(String id, BatchJobState state) {
        return batches.jobs(id, Set.of(state), -1, 1_000).jobs();
    }

    @Test
    void aBatchHearsOfJobsThatRubyRunsWithTheMiddleware() {
        String id = batches.create("noted", batch -> batch.addAll(brief("noted", 600))
                .onSuccess(JobCall.named("Interop::Note", "all").queue("noted-end")));
        RubyWorker ruby = notingWorker("noting", "noted");
        InteropTestBed.await("Ruby to run some", () -> ruby.performed().size() >= 150);
        bed.engine("noted", "noted-end");

        BatchStatus status = awaitEnd(id);

        assertThat(status.succeeded()).isEqualTo(600);
        InteropTestBed.await("the callback", () -> bed.jobs.performed.stream()
                .anyMatch(each -> List.of("all").equals(each.what())));
        assertThat(bed.redis.llen("jobs:batches:notes")).isZero();
        ruby.stop();
    }

    @Test
    void failuresAndDeathsInRubyReachTheBatch() {
        bed.engine("leads-only");
        String id = batches.create(
                "failing", batch -> batch.add(JobCall.named("Interop::Fail", 1).queue("failing"))
                        .add(JobCall.named("Interop::Fail", 2).queue("failing").retry(0))
                        .add(JobCall.named("Interop::Brief", 3).queue("failing")));
        RubyWorker ruby = notingWorker("failing", "failing");

        InteropTestBed.await(
                "the batch to know all three",
                () -> status(id).retrying() == 1
                        && status(id).dead() == 1
                        && status(id).succeeded() == 1);

        assertThat(jobs(id, BatchJobState.RETRYING)).singleElement().satisfies(job -> {
            assertThat(job.index()).isZero();
            assertThat(job.messages()).containsExactly("RuntimeError: Ruby can't do this: é😀");
        });
        assertThat(jobs(id, BatchJobState.DEAD)).extracting(BatchJob::index).containsExactly(1L);
        ruby.stop();
    }

    @Test
    void anAuditEndsABatchWhoseJobsRubyTookAndLost() throws InterruptedException {
        String never = bed.file("never").toString();
        String id = batches.create("taken", batch -> batch.addAll(brief("taken", 30))
                .add(JobCall.named("Interop::Wait", never).queue("taken"))
                .addAll(brief("ours", 60)));
        RubyWorker ruby = bed.rubyWorker("taking", "-q", "taken", "-c", "3");
        InteropTestBed.await("Ruby to run all but one", () -> ruby.performed().size() == 30);
        bed.engine("ours");
        InteropTestBed.await("Java to run its own", () -> status(id).succeeded() == 60);
        ruby.close();
        bed.redis.keys("*:work").forEach(bed.redis::del); // they expire after a minute

        assertThat(batches.audit(id)).contains(new BatchAudit(31, 31, 0, 0, 0));

        BatchStatus status = awaitEnd(id);
        assertThat(status.lost()).isEqualTo(31);
        assertThat(status.succeeded()).isEqualTo(60);
    }

    @Test
    void theBatchOfSidekiqProIsAnotherMember() {
        bed.patientEngine("pro");
        RubyApi api = bed.api();
        String jid = String.valueOf(api.call(
                "push", Map.of("class", "Interop::Fail", "queue", "pro", "args", List.of(1), "bid", "Xb9-pro_batch")));

        String failed = bed.awaitIn("retry", jid);

        assertThat(InteropTestBed.payload(failed).text("bid")).isEqualTo("Xb9-pro_batch");
        assertThat(bed.redis.keys("*Xb9*")).isEmpty();
    }
}
