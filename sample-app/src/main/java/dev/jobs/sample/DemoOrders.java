package dev.jobs.sample;

import dev.jobs.JobStoreException;
import dev.jobs.sample.Order.Card;
import dev.jobs.sample.Order.Item;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** Places some orders when the shop starts, so that the log shows some activity. */
@Component
class DemoOrders implements ApplicationRunner {

    private static final Logger log = LoggerFactory.getLogger(DemoOrders.class);
    private static final List<String> CUSTOMERS = List.of("ada@example.com", "grace@example.com", "alan@example.com");

    private final Checkout checkout;
    private final int count;

    DemoOrders(Checkout checkout, ShopProperties properties) {
        this.checkout = checkout;
        this.count = properties.demoOrders();
    }

    @Override
    public void run(ApplicationArguments arguments) {
        try {
            for (int i = 0; i < count; i++) {
                place(CUSTOMERS.get(i % CUSTOMERS.size()), Card.values()[i % Card.values().length]);
            }
        } catch (JobStoreException | DataAccessException e) {
            log.warn("Redis can't be reached, so there are no demo orders: {}", e.getMessage());
        }
    }

    private void place(String customer, Card card) {
        long id = checkout.place(customer, List.of(new Item("CUP-01", 4), new Item("BEAN-1", 1)), card)
                .id();
        log.info("{} placed order {} and pays by {}: see /orders/{}", customer, id, card, id);
    }
}
