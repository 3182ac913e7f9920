package dev.jobs.codec;

import dev.jobs.Internal;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The text form of a stack trace in a payload: Base64 of a deflated JSON array of lines. */
@Internal
public final class Backtrace {

    /** Bound of the unpacked size: a few hundred bytes of packed text can expand to gigabytes. */
    private static final int MAX_BYTES = 1024 * 1024;

    private Backtrace() {}

    /** Packs lines into one line of text; replaces invalid Unicode in them. */
    public static String encode(List<String> lines) {
        Deflater deflater = new Deflater();
        try {
            JsonBuffer json = new JsonBuffer(4_096);
            JsonText.write(json, lines.stream().map(JsonText::wellFormed).toList(), 0);
            deflater.setInput(json.toBytes());
            deflater.finish();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            byte[] chunk = new byte[1024];
            while (!deflater.finished()) {
                packed.write(chunk, 0, deflater.deflate(chunk));
            }
            return Base64.getEncoder().encodeToString(packed.toByteArray());
        } finally {
            deflater.end();
        }
    }

    /** Unpacks the lines; returns none if the text is not a backtrace, or unpacks to more than 1 MiB. */
    public static List<String> decode(String text) {
        try {
            // Sidekiq up to 7.2.0 split the text into lines of 60 characters
            byte[] packed = Base64.getDecoder().decode(text.replaceAll("\\s", ""));
            byte[] json = inflate(packed);
            JsonScanner scanner = new JsonScanner(json);
            scanner.value(0);
            if (!scanner.more() && JsonReader.read(json, 0) instanceof List<?> lines) {
                return lines.stream().allMatch(String.class::isInstance)
                        ? lines.stream().map(String.class::cast).toList()
                        : List.of();
            }
            return List.of();
        } catch (IllegalArgumentException | DataFormatException | JsonException e) {
            return List.of();
        }
    }

    private static byte[] inflate(byte[] packed) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed);
            ByteArrayOutputStream unpacked = new ByteArrayOutputStream();
            byte[] chunk = new byte[4096];
            while (!inflater.finished()) {
                int size = inflater.inflate(chunk);
                unpacked.write(chunk, 0, size);
                boolean cutOff = size == 0 && !inflater.finished();
                if (cutOff || unpacked.size() > MAX_BYTES) {
                    throw new DataFormatException();
                }
            }
            return unpacked.toByteArray();
        } finally {
            inflater.end();
        }
    }
}
