package dev.jobs.sample;

/** The shop doesn't sell this product. */
final class UnknownProductException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownProductException(String sku) {
        super("There is no product '" + sku + "'");
    }
}
