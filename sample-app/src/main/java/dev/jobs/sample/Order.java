package dev.jobs.sample;

import java.time.Instant;
import java.util.List;

/** An order as the shop stores it, with the prices at the time it was placed. */
record Order(long id, String customer, List<Item> items, long totalCents, Card card, Instant placedAt) {

    /** A quantity of one product. */
    record Item(String sku, int quantity) {}

    /** Test cards, as payment providers offer them: the card alone decides the result of a charge. */
    enum Card {
        /** Is charged. */
        VISA,
        /** The gateway doesn't answer the first request; the next one charges the card. */
        UNSTEADY,
        /** Is always declined. */
        DECLINED
    }
}
