package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A command on its way to Redis, with the name of the script that it runs. */
final class Command {

    /** The scripts of the library; their digests tell which one a command runs. */
    static final List<String> SCRIPTS = List.of(
            "beat",
            "call",
            "cancel",
            "claim",
            "clear",
            "condemn",
            "due",
            "flush",
            "leave",
            "ledger",
            "mark",
            "metrics",
            "move",
            "process",
            "push",
            "reap",
            "scan",
            "schedule",
            "signal");

    private static final Map<String, String> BY_DIGEST = digests();

    private final List<String> words;
    private final int size;

    private Command(List<String> words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Reads a command as clients send it, an array of strings, or as people type it: a line. */
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

    /** How many bytes it has on the wire. */
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
            case "EVALSHA" -> BY_DIGEST.getOrDefault(words.get(1), "");
            case "EVAL" -> BY_DIGEST.getOrDefault(digest(words.get(1).getBytes(ISO_8859_1)), "");
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

    /** Whether it brings the end of jobs: an ack, a retry, a hand-back. */
    boolean settles() {
        return runs("claim") && number(12) + number(13) > 0;
    }

    /** Whether it takes jobs, if there are any. */
    boolean claims() {
        return runs("claim") && number(4) > 0;
    }

    private static Map<String, String> digests() {
        Map<String, String> digests = new HashMap<>();
        for (String script : SCRIPTS) {
            String resource = "/dev/jobs/redis/" + script + ".lua";
            try (InputStream in = Command.class.getResourceAsStream(resource)) {
                digests.put(digest(in.readAllBytes()), script);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return digests;
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
