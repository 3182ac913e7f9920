package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobFailedException;
import dev.jobs.batches.BatchOptions;
import dev.jobs.batches.Batches;
import dev.jobs.batches.OpenBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/** Imports lists of products, with one job per line. */
@Component
class ProductImports {

    private static final String BATCH = "import";
    private static final String HEADER = "sku,name,cents";

    private final Products products;
    private final Batches batches;
    private final Duration pretendedWork;

    ProductImports(Products products, Batches batches, ShopProperties properties) {
        this.products = products;
        this.batches = batches;
        this.pretendedWork = properties.takes().importRow();
    }

    /**
     * Stores a job for each line while the first ones already run: the list is never in memory as a whole. If it breaks
     * off, the batch stays open, and the same file continues it: the index of a job is the number of its line, and a
     * job whose index is taken is not stored again.
     *
     * @param file names the list among those of the customer; empty for one that can't be continued
     * @return the id of the batch
     * @throws dev.jobs.batches.BatchEndedException if that file has been imported
     * @throws IOException if the list can't be read to its end
     */
    String start(String file, BufferedReader lines, String customer) throws IOException {
        Consumer<BatchOptions> options = batch -> batch.describe(file).createdBy(customer);
        try (OpenBatch batch =
                file.isEmpty() ? batches.open(BATCH, options) : batches.open(BATCH, customer + "/" + file, options)) {
            long number = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank() && !line.strip().equalsIgnoreCase(HEADER)) {
                    batch.add(number, JobCall.of(ProductImports::importRow, line));
                }
                number++;
            }
            batch.commit();
            return batch.id();
        }
    }

    /** Safe to repeat because it sets a final state instead of adding to one. */
    @Job(queue = "low", retry = 10, tags = "import")
    void importRow(String line) throws InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        products.save(parse(line));
    }

    /** A line that is no product is a result, not an error of the job: a retry would not help. */
    private static Product parse(String line) {
        try {
            return Product.parse(line);
        } catch (IllegalArgumentException e) {
            throw new JobFailedException(String.valueOf(e.getMessage()), e);
        }
    }
}
