package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.iterations.Iteration;
import dev.jobs.unique.Unique;
import dev.jobs.unique.Unique.OnConflict;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Sets the prices of all imported products in one job, which can be interrupted and resumed between any two products.
 */
@Component
class Pricing {

    private static final Logger log = LoggerFactory.getLogger(Pricing.class);

    private final Products products;
    private final Duration pretendedWork;

    Pricing(Products products, ShopProperties properties) {
        this.products = products;
        this.pretendedWork = properties.takes().pricing();
    }

    /**
     * Safe to repeat: a price that was rounded up stays as it is. Two at a time would only do the same work twice, so
     * the second call gets an error that names the first job.
     */
    @Job(queue = "low", tags = "prices")
    @Unique(onConflict = OnConflict.ERROR) Iteration<Product> roundUp() {
        Iteration.Source<Product> all = cursor -> products.imported((String) Objects.requireNonNullElse(cursor, ""))
                .map(product -> new Iteration.Item<>(product, product.sku()));
        return Iteration.over(all)
                .each(this::roundUp)
                .onResume(() -> log.info("Rounding up of prices resumes"))
                .onCancel(() -> log.info("Rounding up of prices was cancelled; the other prices stay as they are"))
                .onComplete(() -> log.info("Prices are rounded up"));
    }

    private void roundUp(Product product) throws InterruptedException {
        Thread.sleep(pretendedWork.toMillis());
        products.save(product.roundedUp());
    }
}
