package dev.jobs.modulith.shop.orders;

import org.springframework.modulith.events.Externalized;

/** Goes to the job of this name, which takes turns by customer. */
@Externalized("Shipping.ship::#{customer()}")
public record OrderPlaced(long order, String customer) {}
