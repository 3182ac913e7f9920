package dev.jobs.spring.autoconfigure.metrics;

/** The failure of a job with masked arguments: masked text and frames, without causes. */
final class MaskedJobFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MaskedJobFailure(Throwable failure, String message) {
        super(message, null, false, true);
        setStackTrace(failure.getStackTrace());
    }
}
