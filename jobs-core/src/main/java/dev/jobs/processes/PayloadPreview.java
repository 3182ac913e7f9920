package dev.jobs.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Payload;
import dev.jobs.codec.JsonCut;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import java.io.ByteArrayOutputStream;
import java.util.Set;

/**
 * The payload of a running job as user interfaces show it: whole, or if it is large, shortened to valid JSON that
 * contains the original size.
 */
final class PayloadPreview {

    /** Payloads up to this many bytes are shown whole. */
    static final int WHOLE = 4 * 1_024;

    /** The member of a shortened payload with the size of the whole one, in bytes. */
    static final String CUT_FROM = "cut_from";

    private static final int ARGS = 2 * 1_024;
    private static final int TEXT = 256;
    private static final int OTHERS = 512;
    private static final int ENOUGH = 3 * 1_024;

    /** Members that readers depend on. */
    private static final Set<String> NEEDED = Set.of("class", "wrapped", "jid", "queue");

    private PayloadPreview() {}

    /** @param stored a JSON object */
    static byte[] of(byte[] stored) {
        if (stored.length <= WHOLE) {
            return stored;
        }
        Payload whole = Payload.parse(stored.clone());
        ByteArrayOutputStream shown = new ByteArrayOutputStream(WHOLE);
        shown.writeBytes(("{\"" + CUT_FROM + "\":" + stored.length).getBytes(UTF_8));
        for (String name : whole.names()) {
            byte[] value = whole.raw(name);
            if (value == null || name.equals(CUT_FROM)) {
                continue;
            }
            try {
                if (name.equals("args")) {
                    value = JsonCut.cut(value, ARGS);
                } else if (NEEDED.contains(name)) {
                    value = JsonCut.cut(value, TEXT);
                } else if (name.length() + value.length > OTHERS || shown.size() > ENOUGH) {
                    continue;
                }
                byte[] written = JsonText.encode(name);
                shown.write(',');
                shown.writeBytes(written);
                shown.write(':');
                shown.writeBytes(value);
            } catch (JsonException e) {
                continue; // the name has half a surrogate pair, which can be read but not written
            }
        }
        shown.write('}');
        return shown.toByteArray();
    }
}
