package dev.jobs.sample;

import dev.jobs.sample.Order.Card;
import dev.jobs.sample.Order.Item;
import dev.jobs.sample.Orders.Step;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Orders over HTTP. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final Checkout checkout;
    private final Orders orders;

    /** The request of a customer; the default card is {@link Card#VISA}. */
    record NewOrder(
            @NotBlank @Email String customer,
            @NotEmpty @Size(max = 100) List<@NotNull @Valid NewItem> items,
            @Nullable Card card) {

        record NewItem(
                @NotBlank String sku, @Positive @Max(1_000) int quantity) {}
    }

    /** An order with its timeline. */
    record FullOrder(long id, String customer, List<Item> items, long totalCents, Card card, List<Step> timeline) {}

    /** An order in a list. */
    record ListedOrder(long id, String customer, long totalCents, Instant placedAt) {}

    OrderController(Checkout checkout, Orders orders) {
        this.checkout = checkout;
        this.orders = orders;
    }

    @PostMapping
    ResponseEntity<Checkout.Placed> place(@Valid @RequestBody NewOrder order) {
        List<Item> items = order.items().stream()
                .map(item -> new Item(item.sku(), item.quantity()))
                .toList();
        Checkout.Placed placed =
                checkout.place(order.customer(), items, Objects.requireNonNullElse(order.card(), Card.VISA));
        return ResponseEntity.accepted()
                .location(URI.create("/orders/" + placed.id()))
                .body(placed);
    }

    @GetMapping
    List<ListedOrder> recent() {
        return orders.recent().stream()
                .map(order -> new ListedOrder(order.id(), order.customer(), order.totalCents(), order.placedAt()))
                .toList();
    }

    @GetMapping("/{id}")
    FullOrder one(@PathVariable long id) {
        Order order = orders.find(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no order " + id));
        return new FullOrder(
                id, order.customer(), order.items(), order.totalCents(), order.card(), orders.timeline(id));
    }
}
