package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.redis.ScriptNames;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A command on its way to Redis, with the name of the script that it runs. */
final class Command {

    private static final Map<String, String> SCRIPT_BY_DIGEST = ScriptNames.byDigest();

    private final List<String> words;
    private final int size;

    private Command(List<String> words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Parses a command as clients send it, an array of strings, or as people type it, a line. */
    static Command parse(byte[] frame) {
        if (frame[0] != '*') {
            return new Command(List.of(new String(frame, ISO_8859_1).strip().split(" +")), frame.length);
        }
        List<String> words = new ArrayList<>();
        int at = end(frame, 0);
        while (at < frame.length) {
            int head = end(frame, at);
            int length = Integer.parseInt(new String(frame, at + 1, head - at - 3, ISO_8859_1));
            words.add(new String(frame, head, length, ISO_8859_1));
            at = head + length + 2;
        }
        return new Command(words, frame.length);
    }

    private static int end(byte[] frame, int from) {
        int at = from;
        while (frame[at] != '\n') {
            at++;
        }
        return at + 1;
    }

    /** Its size in bytes, as sent. */
    int size() {
        return size;
    }

    /** In capitals; empty if there is none. */
    String name() {
        return words.isEmpty() ? "" : words.get(0).toUpperCase(Locale.ROOT);
    }

    /** The name of the script that it runs, or an empty text. */
    String script() {
        return switch (name()) {
            case "EVALSHA" -> SCRIPT_BY_DIGEST.getOrDefault(words.get(1), "");
            case "EVAL" -> SCRIPT_BY_DIGEST.getOrDefault(digest(words.get(1).getBytes(ISO_8859_1)), "");
            default -> "";
        };
    }

    boolean runs(String script) {
        return script().equals(script);
    }

    /** An argument of the script, counted from 1 as in its description. */
    String argument(int index) {
        return words.get(2 + Integer.parseInt(words.get(2)) + index);
    }

    /** A number among the arguments of the script. */
    int number(int index) {
        return Integer.parseInt(argument(index));
    }

    /** Whether it settles jobs: an ack, a retry, a hand-back. */
    boolean settles() {
        return runs("claim") && number(12) + number(13) + number(14) > 0;
    }

    /** Whether it claims jobs, if there are any. */
    boolean claims() {
        return runs("claim") && number(4) > 0;
    }

    private static String digest(byte[] source) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return script().isEmpty() ? name() : script();
    }
}
