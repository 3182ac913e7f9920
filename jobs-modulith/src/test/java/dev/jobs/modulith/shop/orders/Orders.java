package dev.jobs.modulith.shop.orders;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
public class Orders {

    private final ApplicationEventPublisher events;

    Orders(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Transactional
    public void place(long order, String customer) {
        events.publishEvent(new OrderPlaced(order, customer));
    }

    @Transactional
    public void cancel(long order) {
        events.publishEvent(new OrderCancelled(order));
    }
}
