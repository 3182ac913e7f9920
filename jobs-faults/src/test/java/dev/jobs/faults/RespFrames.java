package dev.jobs.faults;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Splits a stream in Redis' protocol (RESP3) into whole commands or answers. */
final class RespFrames {

    private static final int PUSH = '>';
    private static final String UNKNOWN_SCRIPT = "-NOSCRIPT";

    private final InputStream in;

    RespFrames(InputStream in) {
        this.in = new BufferedInputStream(in, 65_536);
    }

    /** The bytes of the next command or answer, or null at the end of the stream. */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        int type = in.read();
        if (type < 0) {
            return null;
        }
        copy(type, frame);
        return frame.toByteArray();
    }

    /** Whether this is a push message of the server instead of an answer to a command. */
    static boolean isPush(byte[] frame) {
        return frame[0] == PUSH;
    }

    /** Whether this answer requests the full script. */
    static boolean isUnknownScript(byte[] frame) {
        return new String(frame, 0, Math.min(frame.length, UNKNOWN_SCRIPT.length()), StandardCharsets.ISO_8859_1)
                .equals(UNKNOWN_SCRIPT);
    }

    private void copy(int type, ByteArrayOutputStream frame) throws IOException {
        frame.write(type);
        String head = line(frame);
        switch (type) {
            case '*', '~', PUSH -> copyItems(Integer.parseInt(head), frame);
            case '%' -> copyItems(2 * Integer.parseInt(head), frame);
            case '|' -> copyItems(2 * Integer.parseInt(head) + 1, frame); // attributes and the value they belong to
            case '$', '=', '!' -> copyBytes(Integer.parseInt(head), frame);
            default -> {} // a single line
        }
    }

    private void copyItems(int count, ByteArrayOutputStream frame) throws IOException {
        for (int i = 0; i < count; i++) {
            copy(read(), frame);
        }
    }

    private void copyBytes(int length, ByteArrayOutputStream frame) throws IOException {
        if (length >= 0) {
            byte[] bytes = in.readNBytes(length + 2);
            if (bytes.length < length + 2) {
                throw new EOFException();
            }
            frame.write(bytes);
        }
    }

    private String line(ByteArrayOutputStream frame) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = read();
        while (next != '\n') {
            frame.write(next);
            if (next != '\r') {
                line.append((char) next);
            }
            next = read();
        }
        frame.write(next);
        return line.toString();
    }

    private int read() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException();
        }
        return next;
    }
}
