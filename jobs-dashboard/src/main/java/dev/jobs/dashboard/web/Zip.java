package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compresses what is sent to browsers that accept it. */
@Internal
public final class Zip {

    /** Smaller contents fit into one packet anyway. */
    private static final int WORTH_IT = 1_024;

    private Zip() {}

    public static boolean isAccepted(WebRequest request) {
        String accepted = request.header("Accept-Encoding");
        return accepted != null && accepted.contains("gzip") && !accepted.contains("gzip;q=0");
    }

    public static boolean isWorthIt(byte[] content) {
        return content.length >= WORTH_IT;
    }

    /** As small as possible, for what is compressed once. */
    public static byte[] small(byte[] content) {
        return zip(content, Deflater.BEST_COMPRESSION);
    }

    /** With little work, for what is sent once. */
    public static byte[] fast(byte[] content) {
        return zip(content, Deflater.BEST_SPEED);
    }

    private static byte[] zip(byte[] content, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out) {
            {
                def.setLevel(level);
            }
        }) {
            gzip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
