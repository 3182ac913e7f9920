package dev.jobs.sample;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** All orders and their timelines. */
@Component
@RegisterReflectionForBinding(Order.class) // for a native image
class Orders {

    private static final String ORDERS = "shop:orders";
    private static final String RECENT = "shop:orders:recent";
    private static final int MOST_RECENT = 20;

    private final StringRedisTemplate redis;
    private final HashOperations<String, String, String> hashes;
    private final JsonMapper json;

    /** One line of an order's timeline. */
    record Step(Instant at, String what) {}

    Orders(StringRedisTemplate redis, JsonMapper json) {
        this.redis = redis;
        this.hashes = redis.opsForHash();
        this.json = json;
    }

    long nextId() {
        return Objects.requireNonNull(redis.opsForValue().increment("shop:orders:last", 1));
    }

    void save(Order order) {
        String id = String.valueOf(order.id());
        hashes.put(ORDERS, id, json.writeValueAsString(order));
        redis.opsForList().leftPush(RECENT, id);
        redis.opsForList().trim(RECENT, 0, MOST_RECENT - 1);
    }

    Optional<Order> find(long id) {
        return Optional.ofNullable(hashes.get(ORDERS, String.valueOf(id))).map(this::read);
    }

    /** For jobs: a missing order fails the job, which is retried, since every job is enqueued for an existing order. */
    Order get(long id) {
        return find(id).orElseThrow(() -> new IllegalStateException("There is no order " + id));
    }

    /** The last orders, latest first. */
    List<Order> recent() {
        List<String> ids = Objects.requireNonNull(redis.opsForList().range(RECENT, 0, -1));
        return hashes.multiGet(ORDERS, ids).stream()
                .filter(Objects::nonNull)
                .map(this::read)
                .toList();
    }

    private Order read(String text) {
        return json.readValue(text, Order.class);
    }

    /**
     * Records a step once: a repeated job records nothing new.
     *
     * @param step identifies the step among those of the same order
     */
    void note(long id, String step, String what) {
        hashes.putIfAbsent(timelineKey(id), step, Instant.now() + " " + what);
    }

    List<Step> timeline(long id) {
        return hashes.values(timelineKey(id)).stream()
                .map(line -> line.split(" ", 2))
                .map(parts -> new Step(Instant.parse(parts[0]), parts[1]))
                .sorted(Comparator.comparing(Step::at))
                .toList();
    }

    private static String timelineKey(long id) {
        return "shop:orders:" + id + ":timeline";
    }
}
