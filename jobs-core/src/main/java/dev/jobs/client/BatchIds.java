package dev.jobs.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * The id of a batch, and those of its children and next batches: all random, or all derived from one name and key.
 *
 * @param fingerprint what the id was derived from, as a digest; empty if it is random
 * @param random the source of random ids
 */
record BatchIds(String id, String fingerprint, RandomGenerator random) {

    private static final int DIGITS = 16;

    /** A random id: 64 bits. */
    static BatchIds random(RandomGenerator random) {
        return new BatchIds(HexFormat.of().toHexDigits(random.nextLong()), "", random);
    }

    /**
     * The first 64 bits of SHA-256 over name and key.
     *
     * @param way how the batch is filled, since each way has its own batches
     */
    static BatchIds of(String way, String name, String key, RandomGenerator random) {
        return derived(way + ":" + name.length() + ":" + name + key, random);
    }

    private static BatchIds derived(String text, RandomGenerator random) {
        try {
            String digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
            return new BatchIds(digest.substring(0, DIGITS), digest, random);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has SHA-256
        }
    }

    /** The ids of a child. */
    BatchIds child(int number) {
        return fingerprint.isEmpty() ? random(random) : derived(fingerprint + "/" + number, random);
    }

    /** The ids of the next batch. */
    BatchIds next() {
        return fingerprint.isEmpty() ? random(random) : derived(fingerprint + "/next", random);
    }
}
