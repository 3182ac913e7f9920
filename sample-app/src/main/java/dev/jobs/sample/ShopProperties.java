package dev.jobs.sample;

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
 * @param takes Durations of the simulated work.
 */
@ConfigurationProperties("shop")
record ShopProperties(
        @DefaultValue("0") int demoOrders,
        @DefaultValue("3d") Duration reviewAfter,
        @DefaultValue("3s") Duration gatewayRetryAfter,
        @DefaultValue Takes takes) {

    /**
     * Time that a real shop would spend waiting for other systems.
     *
     * @param charge Answer of the payment gateway.
     * @param pricing Lookup of competitors' prices for a product.
     * @param importRow Picture of one imported product.
     * @param reportDay Sales of one day.
     */
    record Takes(
            @DefaultValue("300ms") Duration charge,
            @DefaultValue("20ms") Duration pricing,
            @DefaultValue("2ms") Duration importRow,
            @DefaultValue("100ms") Duration reportDay) {}
}
