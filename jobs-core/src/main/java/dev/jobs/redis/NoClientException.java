package dev.jobs.redis;

import dev.jobs.JobStoreException;

/** There is no client to send anything with, as after the stop of its application. Another try would find the same. */
final class NoClientException extends JobStoreException {

    private static final long serialVersionUID = 1L;

    NoClientException(String message) {
        super(Kind.UNREACHABLE, message, null, false);
    }
}
