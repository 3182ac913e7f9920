package dev.jobs.sample;

import java.util.List;
import org.springframework.stereotype.Component;

/** What the sellers of the shop offer. Invented: always the same for each number. */
@Component
class SellerProducts {

    private static final List<String> THINGS = List.of("cup", "plate", "bowl", "jug", "tray", "vase", "teapot");
    private static final List<String> COLORS = List.of("White", "Blue", "Green", "Gray", "Yellow");

    /** A product, and what the warehouse and the contracts say about it. */
    record SellerProduct(
            int number, String name, int cents, boolean inStock, boolean reduced, boolean sellerQualified) {

        /** Its price in a campaign: 30 % off. */
        int campaignCents() {
            return cents * 7 / 10;
        }
    }

    /** The warehouse didn't answer: the lookup fails now, and may succeed later. */
    static final class WarehouseTimeoutException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        WarehouseTimeoutException(int number) {
            super("The warehouse did not answer about product " + number);
        }
    }

    /**
     * Looks a product up.
     *
     * @param attempt the number of this attempt: for a few products, the warehouse doesn't answer the first one
     */
    SellerProduct get(int number, int attempt) {
        if (number % 97 == 50 && attempt == 1) {
            throw new WarehouseTimeoutException(number);
        }
        String name = COLORS.get(number % COLORS.size()) + " " + THINGS.get(number % THINGS.size());
        return new SellerProduct(
                number, name, 490 + number * 37 % 4_000, number % 11 != 4, number % 17 == 9, number % 29 != 13);
    }
}
