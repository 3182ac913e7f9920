package dev.jobs.assembly;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.assembly.FuzzJobs.Call;
import dev.jobs.versions.ForeignJobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Generates bad inputs, and a few good ones that look bad; the same ones for the same seed. */
final class BadInputs {

    /** A queue with a name that none of our applications would use, but that a foreign one may serve. */
    static final String ODD_QUEUE = "jobs:in: päckchen {x}";

    private record Member(String name, String value) {}

    /** Values that are valid JSON, for members of any type. */
    private static final List<String> ODD_VALUES = List.of(
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-1",
            "1",
            "3",
            "0.5",
            "-2.5",
            "1.7952379514965e9",
            "1700000000123",
            "1700000000.1234567",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "-99999999999999999999999",
            "1e400",
            "-1e400",
            "1e-400",
            "1e99999999",
            "31556889864403199.0",
            "-31557014167219200.0",
            "9".repeat(1_000),
            "9".repeat(1_001),
            "\"\"",
            "\" \"",
            "\"x\"",
            "\"5\"",
            "\"-1\"",
            "\"true\"",
            "\"NaN\"",
            "\"2026-07-28T12:00:00Z\"",
            "\"2026-07-28 12:00\"",
            "\"+999999999-12-31T23:59:59.999999999Z\"",
            "\"-999999999-01-01T00:00:00+18:00\"",
            "\"a\\nb\"",
            "\"\\u0000\"",
            "\"\\u001b[31m\"",
            "\"\\u0085\\u2028\\u202e\"",
            "\"\\ud800\"",
            "\"x\\udc00y\"",
            "\"é漢😀\"",
            "\"java.lang.ProcessBuilder\"",
            "\"${jndi:ldap://127.0.0.1/x}\"",
            "\"../../../etc/passwd\"",
            "\"queue:default\"",
            "\"jobs:ledger\"",
            "\"<script>alert(1)</script>\"",
            "[]",
            "[[]]",
            "[null]",
            "[1,\"a\",null,{}]",
            "{}",
            "{\"\":{}}",
            "{\"a\":1,\"a\":2}",
            "{\"@class\":\"javax.naming.InitialContext\",\"@type\":\"x\"}",
            "/* a comment */ 7 // and another\n");

    /** Values that are invalid JSON. */
    private static final List<String> BROKEN_VALUES = List.of(
            "NaN",
            "Infinity",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "1.",
            "0x10",
            "'x'",
            "undefined",
            "tru",
            "\"\u0001\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"",
            "[1,]",
            "{\"a\":}",
            "{a:1}",
            "/*",
            "");

    private static final List<String> QUEUES = List.of(
            "\"default\"",
            "\"low\"",
            "\"a\\nb\"",
            "\"\\n\"",
            "\"\\u0000\"",
            "\"\\t\"",
            "\"*\"",
            "\"jobs:in:x\"",
            "\"retry\"",
            "\"\\ud800\"",
            "\"" + "q".repeat(5_000) + "\"");

    private static final List<String> TIMES = List.of(
            "1700000000123",
            "1700000000.1234567",
            "\"2026-07-28T12:00:00Z\"",
            "\"+999999999-12-31T23:59:59.999999999Z\"",
            "\"-999999999-01-01T00:00:00+18:00\"",
            "31556889864403199.0",
            "-31557014167219200.0",
            "9223372036854775807");

    private static final Map<String, List<String>> ODD_FOR = Map.of(
            "class",
            List.of(
                    "\"Nobody\"",
                    "\"Fuzz::none\"",
                    "\"::Fuzz::None\"",
                    "\"Fuzz::None \"",
                    "\"Fuzz::Order\"",
                    "\"Fuzz::Numbers\"",
                    "\"Fuzz::Nobody\\n12:00:00 INFO all is well\"",
                    "\"java.lang.Runtime\"",
                    "\"" + "N".repeat(20_000) + "\""),
            "args",
            List.of(
                    "[]",
                    "[1]",
                    "[\"a\",\"b\",\"c\",\"d\"]",
                    "[{}]",
                    "[[[]]]",
                    "[null]",
                    "[null,null,null]",
                    "[1.5,\"1\",true]",
                    "[99999999999,99999999999999999999,1e400]",
                    "[1e99999999,1e99999999]",
                    "[\"1e99999999\",\"1e99999999\"]",
                    "[{\"id\":5,\"lines\":\"x\"}]",
                    "[{\"id\":\"a\",\"lines\":[{\"quantity\":1.5}]}]",
                    "[\"PURPLE\",\"yes\"]",
                    "[\"yesterday\",\"PT-\"]",
                    "[1700000000,5]",
                    "[" + "0,".repeat(5_000) + "0]"),
            "queue",
            QUEUES,
            "retry_queue",
            QUEUES,
            "retry_count",
            List.of("-1", "-5", "0", "24", "25", "2147483646", "2147483647", "9223372036854775806", "1e3"),
            "retry_for",
            List.of("0", "10", "1000000000", "9223372036854775807", "60.5"),
            "retry",
            List.of("true", "false", "0", "1", "25", "-1", "2.5", "\"x\"", "9223372036854775808"),
            "backtrace",
            List.of("true", "2", "0", "-5", "1000000000"),
            "jid",
            List.of("\"a\\nb\"", "\"\\ud800\"", "7", "\"" + "j".repeat(10_000) + "\""),
            "failed_at",
            TIMES);

    private static final List<String> HARMLESS = List.of(
            "jid",
            "retry",
            "retry_count",
            "retry_for",
            "retry_in",
            "retry_queue",
            "created_at",
            "enqueued_at",
            "failed_at",
            "retried_at",
            "at",
            "dead",
            "backtrace",
            "error_message",
            "error_class",
            "error_backtrace",
            "tags",
            "cattr",
            "wrapped",
            "display_class",
            "bid",
            "locale",
            "log_level",
            "profile",
            "encrypt",
            "sync",
            "expires_in",
            "unique_for",
            "surprise");

    private static final List<String> FAILURES = List.of(
            "retry",
            "retry_count",
            "retry_for",
            "retry_queue",
            "failed_at",
            "backtrace",
            "dead",
            "error_message",
            "jid");

    private static final List<String> TOKENS = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\\",
            "{\"class\":\"Fuzz::None\"",
            "\"args\":[]",
            "\"jid\":\"x\"",
            "null",
            "true",
            "NaN",
            "-",
            "1e",
            "0",
            "12",
            "//",
            "/*",
            "*/",
            " ",
            "\n",
            "\u0000",
            "\ufeff",
            "\"a\"",
            "'",
            "\\u00",
            "😀");

    private static final List<String> DUE_SCORES =
            List.of("-Infinity", "-1.7e308", "-1700000000.5", "-1", "-0.0", "0", "4.9e-324", "1", "1700000000.1234567");
    private static final List<String> NEVER_SCORES = List.of("Infinity", "1.7e308", "9e15", "1e11");

    private final Random random;
    private int number;

    BadInputs(long seed) {
        this.random = new Random(seed);
    }

    /** The next one. */
    BadInput next() {
        number++;
        String key = key();
        boolean inSet = !key.startsWith("queue:");
        double score = Double.parseDouble(any(chance(1) ? NEVER_SCORES : DUE_SCORES));
        if (number % 3_000 == 0) {
            return input("huge", key, score, json(lengthened(1_000_000 + random.nextInt(1_000_000))), false);
        }
        int kind = random.nextInt(1_000);
        if (kind < 80) {
            return input("random bytes", key, score, randomBytes(), false);
        }
        if (kind < 180) {
            return input("nearly JSON", key, score, tokens(), false);
        }
        if (kind < 430) {
            return input("bytes changed", key, score, changed(json(payload())), false);
        }
        if (kind < 740) {
            return input("members changed", key, score, json(changed(payload())), false);
        }
        if (kind < 840) {
            return input("failed before", key, score, json(failedBefore()), false);
        }
        if (kind < 860) {
            return input("deep", key, score, deep(), false);
        }
        if (kind < 870) {
            return input("long", key, score, json(lengthened(100_000)), false);
        }
        return input("odd but right", key, score, oddButRight(inSet), true);
    }

    /**
     * A job of a queue that no worker of this version knows, with anything else everywhere else.
     *
     * @param since since when it has been waiting for another version, in epoch milliseconds
     */
    BadInput nextOfAnotherVersion(long since) {
        number++;
        List<Member> members = payload();
        for (int count = random.nextInt(6); count > 0; count--) {
            set(members, any(HARMLESS));
        }
        List<String> replaced = List.of("class", "args", ForeignJobs.SINCE);
        members.removeIf(member -> replaced.contains(member.name()));
        String arguments = any(ODD_FOR.get("args"));
        add(members, "class", "Fuzz::Later", "args", arguments, ForeignJobs.SINCE, Long.toString(since));
        return input("of another version", "queue:default", 0, json(members), false);
    }

    private BadInput input(String kind, String key, double score, byte[] bytes, boolean mustRun) {
        return new BadInput(number, kind, key, score, bytes, mustRun);
    }

    private String key() {
        int where = random.nextInt(100);
        if (where < 65) {
            return "queue:default";
        }
        return where < 75 ? "queue:" + ODD_QUEUE : where < 88 ? "schedule" : "retry";
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[random.nextInt(random.nextInt(200) + 1)];
        random.nextBytes(bytes);
        if (chance(30)) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (' ' + (bytes[i] & 0x3f));
            }
        }
        return bytes;
    }

    private byte[] tokens() {
        StringBuilder text = new StringBuilder();
        for (int count = 1 + random.nextInt(20); count > 0; count--) {
            text.append(any(TOKENS));
        }
        return text.toString().getBytes(UTF_8);
    }

    /** A job as real producers store it. */
    private List<Member> payload() {
        Call call = any(chance(75) ? FuzzJobs.FITTING : FuzzJobs.FAILING);
        List<Member> members = new ArrayList<>();
        String jid = "\"" + HexFormat.of().toHexDigits(random.nextLong()) + "\"";
        switch (random.nextInt(6)) {
            case 0 -> add(members, "class", call.name(), "args", call.arguments(), "jid", jid);
            case 1 ->
                add(
                        members,
                        "retry",
                        "true",
                        "queue",
                        "\"default\"",
                        "args",
                        call.arguments(),
                        "class",
                        call.name(),
                        "jid",
                        jid,
                        "created_at",
                        "1700000000123",
                        "enqueued_at",
                        "1700000000124");
            case 2 ->
                add(
                        members,
                        "class",
                        call.name(),
                        "args",
                        call.arguments(),
                        "retry",
                        "5",
                        "queue",
                        "\"default\"",
                        "backtrace",
                        "3",
                        "jid",
                        jid,
                        "created_at",
                        "1700000000.1234567",
                        "at",
                        "1700000000.5");
            case 3 ->
                add(
                        members,
                        "retry",
                        "true",
                        "queue",
                        "\"default\"",
                        "args",
                        call.arguments(),
                        "class",
                        call.name(),
                        "jid",
                        jid,
                        "created_at",
                        "1700000000.1234567",
                        "enqueued_at",
                        "1700000000.2345678",
                        "error_message",
                        "\"boom\"",
                        "error_class",
                        "\"RuntimeError\"",
                        "failed_at",
                        "1700000000.3",
                        "retry_count",
                        Integer.toString(random.nextInt(27)),
                        "retried_at",
                        "1700000001.5",
                        "error_backtrace",
                        "\"eJyLjgUAARUAuQ==\"");
            case 4 ->
                add(
                        members,
                        "retry",
                        "3",
                        "queue",
                        "\"default\"",
                        "args",
                        call.arguments(),
                        "class",
                        call.name(),
                        "jid",
                        jid,
                        "bid",
                        "\"a-b_c\"",
                        "tags",
                        "[\"a\",\"b\"]",
                        "cattr",
                        "{\"user\":1}",
                        "retry_for",
                        "3600",
                        "dead",
                        "false",
                        "unique_for",
                        "60",
                        "expires_in",
                        "1e2");
            default ->
                add(
                        members,
                        "retry",
                        "true",
                        "queue",
                        "\"default\"",
                        "wrapped",
                        "\"WelcomeJob\"",
                        "args",
                        "[{\"job_class\":\"WelcomeJob\",\"arguments\":[" + call.arguments() + "]}]",
                        "class",
                        "Sidekiq::ActiveJob::Wrapper",
                        "jid",
                        jid);
        }
        return members;
    }

    private static void add(List<Member> members, String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String value = namesAndValues[i + 1];
            boolean name = namesAndValues[i].equals("class");
            members.add(new Member(namesAndValues[i], name ? "\"" + value + "\"" : value));
        }
    }

    private List<Member> changed(List<Member> members) {
        for (int changes = 1 + random.nextInt(3); changes > 0 && !members.isEmpty(); changes--) {
            int at = random.nextInt(members.size());
            String name = members.get(at).name();
            switch (random.nextInt(8)) {
                case 0 -> members.remove(at);
                case 1, 2, 3 -> members.set(at, new Member(name, odd(name)));
                case 4 -> set(members, any(HARMLESS));
                case 5 -> set(members, any(List.of("class", "args", "queue")));
                case 6 -> members.add(random.nextInt(members.size() + 1), new Member(name, odd(name)));
                default -> members.set(at, new Member(name, chance(25) ? any(BROKEN_VALUES) : odd(name)));
            }
        }
        return members;
    }

    /** A job that fails, with odd options for what happens then. */
    private List<Member> failedBefore() {
        Call call = any(FuzzJobs.FAILING);
        List<Member> members = new ArrayList<>();
        add(members, "class", call.name(), "args", call.arguments(), "n" + number, "0");
        for (int count = 1 + random.nextInt(5); count > 0; count--) {
            set(members, any(FAILURES));
        }
        return members;
    }

    private void set(List<Member> members, String name) {
        members.removeIf(member -> member.name().equals(name));
        members.add(random.nextInt(members.size() + 1), new Member(name, odd(name)));
    }

    private String odd(String name) {
        List<String> own = ODD_FOR.getOrDefault(name, ODD_VALUES);
        return any(chance(60) ? own : ODD_VALUES);
    }

    /** A payload with a job and arguments that fit, and anything else everywhere else. */
    private byte[] oddButRight(boolean inSet) {
        Call call = any(FuzzJobs.FITTING);
        List<Member> members = new ArrayList<>();
        for (int count = random.nextInt(6); count > 0; count--) {
            set(members, any(HARMLESS));
        }
        members.add(new Member("n" + number, odd("surprise"))); // makes it unique
        if (!inSet) {
            set(members, "queue");
        }
        int decoys = members.size();
        members.add(random.nextInt(decoys + 1), new Member("args", call.arguments()));
        members.add(random.nextInt(decoys + 1), new Member("class", "\"" + call.name() + "\""));
        if (chance(10)) {
            members.add(0, new Member("class", odd("class")));
            members.add(0, new Member("args", odd("args")));
        }
        if (call.arguments().equals("[]") && chance(30)) {
            members.removeIf(member -> member.name().equals("args"));
        }
        return json(members);
    }

    private List<Member> lengthened(int length) {
        List<Member> members = payload();
        String letter = any(List.of("x", "é", "😀", "\\n", "\\u0000"));
        String longText = "\"" + letter.repeat(length / letter.length()) + "\"";
        String name = any(List.of("class", "jid", "args", "queue", "tags", "error_message", "surprise", "retry_queue"));
        members.removeIf(member -> member.name().equals(name));
        members.add(new Member(name, name.equals("args") ? "[" + longText + "]" : longText));
        return members;
    }

    private byte[] deep() {
        int levels = chance(80) ? 95 + random.nextInt(10) : 1_000 + random.nextInt(50_000);
        boolean objects = chance(50);
        String nested = (objects ? "{\"a\":" : "[").repeat(levels) + "0" + (objects ? "}" : "]").repeat(levels);
        List<Member> members = payload();
        String name = any(List.of("args", "surprise", "cattr"));
        members.removeIf(member -> member.name().equals(name));
        members.add(new Member(name, name.equals("args") ? "[" + nested + "]" : nested));
        return json(members);
    }

    /** The text of an object, with white space, comments and escapes where nobody expects them. */
    private byte[] json(List<Member> members) {
        boolean plain = chance(70);
        StringBuilder json = new StringBuilder("{");
        for (Member member : members) {
            json.append(json.length() == 1 ? "" : ",");
            json.append(plain ? "" : blank());
            String name = member.name();
            if (!plain && chance(20)) {
                name = String.format("\\u%04X", (int) name.charAt(0)) + name.substring(1);
            }
            json.append('"').append(name).append("\":").append(plain ? "" : blank());
            json.append(member.value());
        }
        return json.append('}').append(plain ? "" : blank()).toString().getBytes(UTF_8);
    }

    private String blank() {
        return any(List.of("", " ", "\n", "\r\n\t", "/* } */", "// \"\n"));
    }

    private byte[] changed(byte[] original) {
        byte[] bytes = original;
        for (int changes = 1 + random.nextInt(3); changes > 0 && bytes.length > 0; changes--) {
            int from = random.nextInt(bytes.length);
            int to = from + 1 + random.nextInt(Math.min(30, bytes.length - from));
            byte[] slice = Arrays.copyOfRange(bytes, from, to);
            bytes = switch (random.nextInt(7)) {
                case 0 -> flipped(bytes, from);
                case 1 -> replaced(bytes, from, to, new byte[0]);
                case 2 -> replaced(bytes, from, from, slice);
                case 3 -> replaced(bytes, from, from, any(INSERTED).getBytes(ISO_8859_1));
                case 4 -> Arrays.copyOf(bytes, from);
                case 5 -> moved(replaced(bytes, from, to, new byte[0]), slice);
                default -> replaced(bytes, from, from + 1, any(INSERTED).getBytes(ISO_8859_1));
            };
        }
        return bytes;
    }

    /** Bytes where they do harm: invalid UTF-8, halves of characters and of surrogate pairs, JSON's own marks. */
    private static final List<String> INSERTED = List.of(
            "\u00ff",
            "\u00c3",
            "\u00c0\u0080",
            "\u00ed\u00a0\u0080",
            "\u00f4\u0090\u0080\u0080",
            "\u00ef\u00bb\u00bf",
            "\u0000",
            "\n",
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "e",
            "-",
            "0",
            "9",
            "/",
            "*",
            "\u00e2\u0080\u00a8");

    private byte[] flipped(byte[] bytes, int at) {
        byte[] result = bytes.clone();
        result[at] ^= (byte) (1 << random.nextInt(8));
        return result;
    }

    private byte[] moved(byte[] rest, byte[] slice) {
        int at = random.nextInt(rest.length + 1);
        return replaced(rest, at, at, slice);
    }

    private static byte[] replaced(byte[] bytes, int from, int to, byte[] by) {
        byte[] result = Arrays.copyOf(bytes, from + by.length + bytes.length - to);
        System.arraycopy(by, 0, result, from, by.length);
        System.arraycopy(bytes, to, result, from + by.length, bytes.length - to);
        return result;
    }

    private <T> T any(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }
}
