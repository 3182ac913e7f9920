package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Imports lists of products, with one job per line. */
@Component
class ProductImports {

    private final Products products;
    private final StringRedisTemplate redis;
    private final HashOperations<String, String, String> hashes;
    private final JobClient jobs;
    private final Duration pretendedWork;

    /** One line of a list: the argument of one job. */
    record Row(long importId, int line, String text) {}

    /** The progress of an import; {@code refused} has the error of each line that is not a product. */
    record Progress(long id, int rows, long imported, Map<Integer, String> refused, boolean finished) {}

    ProductImports(Products products, StringRedisTemplate redis, JobClient jobs, ShopProperties properties) {
        this.products = products;
        this.redis = redis;
        this.hashes = redis.opsForHash();
        this.jobs = jobs;
        this.pretendedWork = properties.takes().importRow();
    }

    /**
     * Enqueues a job for each line.
     *
     * @return the number of the import
     */
    long start(List<String> lines) {
        long id = Objects.requireNonNull(redis.opsForValue().increment("shop:imports:last", 1));
        redis.opsForValue().set(key(id, "rows"), String.valueOf(lines.size()));
        // One call for all jobs, with a thousand per round trip.
        jobs.enqueueAll(
                ProductImports::importRow,
                IntStream.rangeClosed(1, lines.size())
                        .mapToObj(line -> new Row(id, line, lines.get(line - 1)))
                        .toList());
        return id;
    }

    /**
     * Safe to repeat because it sets a final state instead of adding to one: a product is set, a line is in the set or
     * not.
     */
    @Job(queue = "low", retry = 10, tags = "import")
    void importRow(Row row) throws InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        try {
            products.save(Product.parse(row.text()));
        } catch (IllegalArgumentException e) {
            // A retry would not help: this is a result, not a failure of the job.
            hashes.put(key(row.importId(), "refused"), String.valueOf(row.line()), String.valueOf(e.getMessage()));
            return;
        }
        redis.opsForSet().add(key(row.importId(), "imported"), String.valueOf(row.line()));
    }

    Optional<Progress> progress(long id) {
        return Optional.ofNullable(redis.opsForValue().get(key(id, "rows"))).map(rows -> {
            long imported = Objects.requireNonNull(redis.opsForSet().size(key(id, "imported")));
            Map<Integer, String> refused = new TreeMap<>();
            hashes.entries(key(id, "refused")).forEach((line, why) -> refused.put(Integer.valueOf(line), why));
            int all = Integer.parseInt(rows);
            return new Progress(id, all, imported, refused, imported + refused.size() == all);
        });
    }

    private static String key(long id, String part) {
        return "shop:imports:" + id + ":" + part;
    }
}
