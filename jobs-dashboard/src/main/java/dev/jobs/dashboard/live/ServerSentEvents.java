package dev.jobs.dashboard.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Server-sent events as bytes. */
final class ServerSentEvents {

    /** How long a browser waits before it reopens a stream. */
    private static final byte[] RETRY = "retry: 3000\n".getBytes(UTF_8);

    private ServerSentEvents() {}

    /** The first event of a stream. */
    static byte[] first(byte[] event) {
        byte[] both = Arrays.copyOf(RETRY, RETRY.length + event.length);
        System.arraycopy(event, 0, both, RETRY.length, event.length);
        return both;
    }

    /** @param json a single line: JSON without line breaks */
    static byte[] event(String name, byte[] json) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + 64);
        out.writeBytes(("event: " + name + "\ndata: ").getBytes(UTF_8));
        out.writeBytes(json);
        out.writeBytes("\n\n".getBytes(UTF_8));
        return out.toByteArray();
    }
}
