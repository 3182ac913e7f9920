package dev.jobs.batches;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Makes ids of batches: 16 hexadecimal digits. */
final class BatchIds {

    private static final int DIGITS = 16;

    private BatchIds() {}

    /** A random id: 64 bits. */
    static String random(RandomGenerator random) {
        return HexFormat.of().toHexDigits(random.nextLong());
    }

    /** The id of a batch's child, always the same one. */
    static String ofChild(String parent, int number) {
        return digest(parent + "/" + number).substring(0, DIGITS);
    }

    /** The id of the batch after a batch, always the same one. */
    static String ofNext(String previous) {
        return digest(previous + "/next").substring(0, DIGITS);
    }

    /**
     * SHA-256 over name and key.
     *
     * @param way how the batch is filled, since each way has its own batches
     */
    static String digest(String way, String name, String key) {
        return digest(way + ":" + name.length() + ":" + name + key);
    }

    private static String digest(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has SHA-256
        }
    }
}
