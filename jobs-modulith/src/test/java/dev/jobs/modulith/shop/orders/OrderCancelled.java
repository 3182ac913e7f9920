package dev.jobs.modulith.shop.orders;

import org.springframework.modulith.events.Externalized;

/** Goes to the job that is named like it. */
@Externalized
public record OrderCancelled(long order) {}
