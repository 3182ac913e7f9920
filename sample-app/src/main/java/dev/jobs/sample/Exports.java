package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.batches.Batches;
import dev.jobs.batches.JobBatch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Exports records of sales: each job writes a part, and the callback joins the parts. All workers share one directory.
 * Results in Redis are small: here the names of the parts.
 */
@Component
class Exports {

    private static final Logger log = LoggerFactory.getLogger(Exports.class);

    private static final int PART = 1_000;
    private static final String WHOLE = "sales.csv";

    private final Batches batches;
    private final JsonMapper json;
    private final Path directory;
    private final Duration pretendedWork;

    /** What a job writes: its result, which the batch keeps for the callback. */
    record Part(String file, int records) {}

    Exports(Batches batches, JsonMapper json, ShopProperties properties) {
        this.batches = batches;
        this.json = json;
        this.directory = properties.exportDirectory();
        this.pretendedWork = properties.takes().exportPart();
    }

    /**
     * Exports the records 1 to {@code count}.
     *
     * @return the id of the batch
     */
    String start(int count, String customer) {
        return batches.create("export", batch -> batch.describe(count + " records")
                .createdBy(customer)
                .keepResults()
                .keepFor(Duration.ofHours(1))
                .onSuccess(JobCall.of(Exports::join))
                .addAll(IntStream.iterate(1, first -> first <= count, first -> first + PART)
                        .mapToObj(first -> JobCall.of(Exports::writePart, first, Math.min(count, first + PART - 1)))));
    }

    /** Safe to repeat: a second execution writes the same file. */
    @Job(value = "export-part", queue = "low", retry = 5, tags = "export")
    Part writePart(int first, int last, JobContext job) throws IOException, InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        Path folder = Files.createDirectories(
                directory.resolve(JobBatch.of(job).orElseThrow().id()));
        String file = "part-" + first;
        List<String> records =
                IntStream.rangeClosed(first, last).mapToObj(Exports::record).toList();
        Path written = Files.createTempFile(folder, "unfinished", null);
        Files.write(written, records);
        Files.move(written, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        return new Part(file, records.size());
    }

    /** The shop is new, so its past is invented: always the same for each number. */
    private static String record(int number) {
        Random random = new Random(number);
        return number + ",CARD-" + random.nextInt(1, 10_000) + "," + random.nextInt(1, 5) + ","
                + 190 * random.nextInt(1, 40);
    }

    /** The callback. Safe to repeat, also after it has removed the parts. */
    @Job(value = "join-export", retry = 5, tags = "export")
    void join(JobContext job) throws IOException {
        JobBatch batch = JobBatch.of(job).orElseThrow();
        Path folder = Files.createDirectories(directory.resolve(batch.id()));
        if (Files.exists(folder.resolve(WHOLE))) {
            return;
        }
        List<Part> parts = batch.results()
                .map(part -> json.readValue(Objects.requireNonNull(part.result()), Part.class))
                .toList();
        Path written = Files.createTempFile(folder, "unfinished", null);
        try (OutputStream out = Files.newOutputStream(written)) {
            for (Part part : parts) {
                Files.copy(folder.resolve(part.file()), out);
            }
        }
        Files.move(written, folder.resolve(WHOLE), StandardCopyOption.ATOMIC_MOVE);
        log.info(
                "Export {} has {} records",
                batch.id(),
                parts.stream().mapToInt(Part::records).sum());
        for (Part part : parts) {
            Files.deleteIfExists(folder.resolve(part.file()));
        }
    }

    /** The joined file; empty until there is one. */
    Optional<Path> file(String id) {
        return Optional.of(directory.resolve(id).resolve(WHOLE)).filter(Files::exists);
    }

    /** Removes the files of exports whose batch has expired. */
    @Job(value = "delete-old-exports", queue = "low", retry = 0, cron = "0 * * * *")
    void deleteOld() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            for (Path folder : all.toList()) {
                if (batches.find(folder.getFileName().toString()).isEmpty()) {
                    FileSystemUtils.deleteRecursively(folder);
                }
            }
        } catch (NoSuchFileException e) {
            log.debug("Nothing has been exported yet", e);
        }
    }
}
