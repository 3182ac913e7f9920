package dev.jobs.sample;

import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the shop.
 *
 * @param demoOrders Number of orders that the shop places itself when it starts.
 * @param reviewAfter Time between the payment of an order and the mail that asks how the customer liked it.
 * @param gatewayRetryAfter Time after which a charge is retried if the payment gateway didn't answer. Jobs adds its
 *     jitter.
 * @param warehouseRetryAfter The same for a warehouse.
 * @param exportDirectory Where exports are written; workers on several machines need a shared one.
 * @param takes Durations of the simulated work.
 */
@ConfigurationProperties("shop")
record ShopProperties(
        @DefaultValue("0") int demoOrders,
        @DefaultValue("3d") Duration reviewAfter,
        @DefaultValue("3s") Duration gatewayRetryAfter,
        @DefaultValue("1s") Duration warehouseRetryAfter,
        @DefaultValue("shop-exports") Path exportDirectory,
        @DefaultValue Takes takes) {

    /**
     * Time that a real shop would spend waiting for other systems.
     *
     * @param charge Answer of the payment gateway.
     * @param pricing Lookup of competitors' prices for a product.
     * @param importRow Picture of one imported product.
     * @param reportDay Sales of one day.
     * @param enroll Stock and contracts of an article.
     * @param exportPart A thousand records of sales.
     */
    record Takes(
            @DefaultValue("300ms") Duration charge,
            @DefaultValue("20ms") Duration pricing,
            @DefaultValue("2ms") Duration importRow,
            @DefaultValue("100ms") Duration reportDay,
            @DefaultValue("250ms") Duration enroll,
            @DefaultValue("100ms") Duration exportPart) {}
}
