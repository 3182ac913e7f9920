package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.batches.Batches;
import dev.jobs.batches.JobBatch;
import dev.jobs.sample.SellerProducts.SellerProduct;
import dev.jobs.sample.SellerProducts.WarehouseTimeoutException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Enrolls products in campaigns: a job for each product, and a batch that knows what became of each. A refused product
 * is a result, with its reason; a warehouse that doesn't answer is an error, and is asked again.
 */
@Component
class Enrollments implements RetryPolicy {

    private static final Logger log = LoggerFactory.getLogger(Enrollments.class);

    private final Batches batches;
    private final SellerProducts products;
    private final HashOperations<String, String, String> hashes;
    private final Duration pretendedWork;
    private final Duration retryAfter;

    Enrollments(Batches batches, SellerProducts products, StringRedisTemplate redis, ShopProperties properties) {
        this.batches = batches;
        this.products = products;
        this.hashes = redis.opsForHash();
        this.pretendedWork = properties.takes().enroll();
        this.retryAfter = properties.warehouseRetryAfter();
    }

    /**
     * Enrolls the products 1 to {@code count}, all or nothing: when this returns, all jobs are stored.
     *
     * @return the id of the batch
     */
    String start(String campaign, int count, String customer) {
        return batches.create(PastEnrollments.NAME, batch -> batch.describe(campaign)
                .tags(PastEnrollments.tag(campaign))
                .createdBy(customer)
                .tolerateFailures() // a campaign is a success without the refused products
                .onSuccess(JobCall.of(Enrollments::publish, campaign))
                .addAll(IntStream.rangeClosed(1, count)
                        .mapToObj(number -> JobCall.of(Enrollments::enroll, number, campaign))));
    }

    /** Safe to repeat: it sets a price instead of changing one. */
    @Job(value = "enroll-product", retry = 5, tags = "enrollment")
    void enroll(int number, String campaign, JobContext job) throws InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        SellerProduct product = products.get(number, job.attempt());
        if (!product.inStock()) {
            throw new JobFailedException(product.name() + " is sold out");
        }
        if (product.reduced()) {
            throw new JobFailedException(product.name() + " is already reduced");
        }
        if (!product.sellerQualified()) {
            throw new JobFailedException(product.name() + ": the seller is not qualified for campaigns");
        }
        hashes.put("shop:campaigns:" + campaign, String.valueOf(number), String.valueOf(product.campaignCents()));
        job.message("%s: %.2f instead of %.2f"
                .formatted(product.name(), product.campaignCents() / 100.0, product.cents() / 100.0));
    }

    /** The callback. Its {@link JobBatch#of batch} is the batch that has succeeded. */
    @Job("publish-campaign")
    void publish(String campaign, JobContext job) {
        JobBatch batch = JobBatch.of(job).orElseThrow();
        log.info(
                "Campaign '{}' is published with {} products; {} were refused",
                campaign,
                batch.status().succeeded(),
                batch.status().failed());
    }

    @Override
    public @Nullable Decision decide(Payload payload, int count, Throwable failure) {
        return failure instanceof WarehouseTimeoutException ? Decision.retryIn(retryAfter) : null;
    }
}
