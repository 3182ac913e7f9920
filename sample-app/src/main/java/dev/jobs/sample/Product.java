package dev.jobs.sample;

/** A product of the shop. */
record Product(String sku, String name, int cents) {

    Product {
        if (sku.isBlank() || name.isBlank() || cents <= 0) {
            throw new IllegalArgumentException("a product has a number, a name and a price above 0");
        }
    }

    /** The same product at the next price that ends in 90, or at its own if that already does. */
    Product roundedUp() {
        return new Product(sku, name, (cents + 9) / 100 * 100 + 90);
    }

    /**
     * Reads a line of the form {@code CUP-01,Espresso cup,1290}; the name may contain commas.
     *
     * @throws IllegalArgumentException if it has another form; the message says what is wrong
     */
    static Product parse(String line) {
        int first = line.indexOf(',');
        int last = line.lastIndexOf(',');
        if (first < 0 || first == last) {
            throw new IllegalArgumentException("not of the form sku,name,cents");
        }
        String price = line.substring(last + 1).strip();
        int cents;
        try {
            cents = Integer.parseInt(price);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the price '" + price + "' is not a whole number of cents", e);
        }
        return new Product(
                line.substring(0, first).strip(),
                line.substring(first + 1, last).strip(),
                cents);
    }
}
