package dev.jobs.modulith.shop.shipping;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.modulith.shop.orders.OrderCancelled;
import dev.jobs.modulith.shop.orders.OrderPlaced;
import dev.jobs.unique.Unique;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

@Component
public class Shipping {

    /** What became of events, with the keys of their jobs. */
    public final List<String> done = new CopyOnWriteArrayList<>();

    @Job("Shipping.ship")
    void ship(OrderPlaced event, JobContext job) {
        done.add(event + " " + job.payload().text("order_key"));
    }

    @Job("orders.OrderCancelled")
    @Unique(onConflict = Unique.OnConflict.ERROR)
    void keep(OrderCancelled event) {
        done.add(event.toString());
    }
}
