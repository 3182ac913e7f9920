package dev.jobs.sample;

import java.time.Instant;
import java.util.List;

/** An order as the shop keeps it. Prices are those of the moment when it was placed. */
record Order(long id, String customer, List<Item> items, long totalCents, Card card, Instant placedAt) {

    /** So many of one product. */
    record Item(String sku, int quantity) {}

    /** Test cards, as payment providers have them: how a charge ends depends on nothing else. */
    enum Card {
        /** Is charged. */
        VISA,
        /** The gateway doesn't answer the first time; then the card is charged. */
        UNSTEADY,
        /** Is declined, today and tomorrow. */
        DECLINED
    }
}
