package dev.jobs.sample;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The products of the shop: a small fixed range, and the imported ones. */
@Component
@RegisterReflectionForBinding(Product.class) // for a native image
class Products {

    private static final String PRODUCTS = "shop:products";
    private static final Map<String, Product> RANGE = List.of(
                    new Product("CUP-01", "Espresso cup", 1290),
                    new Product("POT-02", "Moka pot, 3 cups", 2490),
                    new Product("BEAN-1", "Espresso beans, 1 kg", 1890))
            .stream()
            .collect(Collectors.toUnmodifiableMap(Product::sku, Function.identity()));

    private final HashOperations<String, String, String> hashes;
    private final JsonMapper json;

    Products(StringRedisTemplate redis, JsonMapper json) {
        this.hashes = redis.opsForHash();
        this.json = json;
    }

    /** @throws UnknownProductException if no product has this number */
    Product get(String sku) {
        String imported = hashes.get(PRODUCTS, sku);
        Product product = imported != null ? json.readValue(imported, Product.class) : RANGE.get(sku);
        if (product == null) {
            throw new UnknownProductException(sku);
        }
        return product;
    }

    /** The imported products from this number on, in order. */
    Stream<Product> imported(String fromSku) {
        return hashes.entries(PRODUCTS).entrySet().stream()
                .filter(entry -> entry.getKey().compareTo(fromSku) >= 0)
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> json.readValue(entry.getValue(), Product.class));
    }

    /** Adds a product, or changes the one with its number. */
    void save(Product product) {
        hashes.put(PRODUCTS, product.sku(), json.writeValueAsString(product));
    }
}
