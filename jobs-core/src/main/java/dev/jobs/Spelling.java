package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text as it reads whatever its case, accents and escapes are, with the position of each character in the text
 * itself.
 */
final class Spelling {

    /** What writes one character with several: of addresses, of JSON and Java, of markup. */
    private static final Pattern ESCAPED = Pattern.compile(
            "(?<percent>(%[0-9A-Fa-f]{2})+)|\\\\u(?<hex>[0-9A-Fa-f]{4})|&#(?<decimal>[0-9]{1,6});|&#[xX](?<markup>[0-9A-Fa-f]{1,5});|&(?<name>[A-Za-z]{2,6});");

    private static final Map<String, String> NAMED = Map.ofEntries(
            Map.entry("amp", "&"),
            Map.entry("lt", "<"),
            Map.entry("gt", ">"),
            Map.entry("quot", "\""),
            Map.entry("apos", "'"),
            Map.entry("nbsp", " "),
            Map.entry("auml", "ä"),
            Map.entry("ouml", "ö"),
            Map.entry("uuml", "ü"),
            Map.entry("Auml", "Ä"),
            Map.entry("Ouml", "Ö"),
            Map.entry("Uuml", "Ü"),
            Map.entry("szlig", "ß"));

    private static final char DIAERESIS = '\u0308';

    /** Letters that don't decompose. */
    private static final Map<Integer, String> LETTERS =
            Map.of((int) 'ß', "ss", (int) 'æ', "ae", (int) 'œ', "oe", (int) 'ø', "o", (int) 'ł', "l", (int) 'đ', "d");

    private static final int LEAST_SEPARATED = 3;
    private static final int MOST_SEPARATORS = 2;

    private final boolean digraphs;
    private final boolean compact;
    private final StringBuilder spelled = new StringBuilder();
    private int[] starts;
    private int[] ends;

    private Spelling(int size, boolean digraphs, boolean compact) {
        this.digraphs = digraphs;
        this.compact = compact;
        this.starts = new int[size + 8];
        this.ends = new int[size + 8];
    }

    /**
     * @param digraphs whether {@code ü} reads as {@code ue} rather than {@code u}
     * @param compact whether only letters and digits count
     */
    static Spelling of(String text, boolean digraphs, boolean compact) {
        Spelling spelling = new Spelling(text.length(), digraphs, compact);
        Matcher escaped = ESCAPED.matcher(text);
        int done = 0;
        while (escaped.find()) {
            spelling.addAll(text, done, escaped.start());
            spelling.addEscaped(escaped);
            done = escaped.end();
        }
        spelling.addAll(text, done, text.length());
        return spelling;
    }

    String text() {
        return spelled.toString();
    }

    /**
     * Marks in the text itself where the other spelling occurs, also where two of them overlap, and where it
     * begins at the end of this one, since long texts are cut. Takes time in proportion to both, whatever they are.
     *
     * @param leastCut how much of the other one has to be at the end
     */
    void mark(String sought, int leastCut, BitSet positions) {
        int[] shorter = borders(sought, Math.min(sought.length(), spelled.length() + 1));
        int matched = 0;
        for (int at = 0; at < spelled.length(); at++) {
            if (matched == sought.length()) {
                matched = shorter[matched];
            }
            while (matched > 0 && spelled.charAt(at) != sought.charAt(matched)) {
                matched = shorter[matched];
            }
            if (spelled.charAt(at) == sought.charAt(matched)) {
                matched++;
            }
            if (matched == sought.length()) {
                positions.set(starts[at - matched + 1], ends[at]);
            }
        }
        if (matched >= leastCut) {
            positions.set(starts[spelled.length() - matched], ends[spelled.length() - 1]);
        }
    }

    /** For each length, how long a beginning of a text of that length is its end as well. */
    private static int[] borders(String text, int most) {
        int[] borders = new int[most + 1];
        int border = 0;
        for (int length = 2; length <= most; length++) {
            char last = text.charAt(length - 1);
            while (border > 0 && text.charAt(border) != last) {
                border = borders[border];
            }
            if (text.charAt(border) == last) {
                border++;
            }
            borders[length] = border;
        }
        return borders;
    }

    /**
     * Whether the other spelling occurs as a word, or if it is a number as one, which may begin with more zeros. From
     * three letters or digits on, there may be separators between them.
     */
    boolean hasWord(String sought) {
        boolean number = sought.codePoints().allMatch(Character::isDigit);
        String first = sought.substring(0, 1);
        for (int at = spelled.indexOf(first); at >= 0; at = spelled.indexOf(first, at + 1)) {
            int end = end(sought, at);
            if (end >= 0 && !continues(end, number) && !continues(begin(at, number) - 1, number)) {
                return true;
            }
        }
        return false;
    }

    /** Where the other spelling ends if it begins there; -1 if it doesn't. */
    private int end(String sought, int begin) {
        int separators = sought.length() < LEAST_SEPARATED ? 0 : MOST_SEPARATORS;
        int at = begin + 1;
        for (int i = 1; i < sought.length(); i++) {
            int last = at + separators;
            while (at < spelled.length()
                    && at < last
                    && !Character.isLetterOrDigit(spelled.charAt(at))
                    && spelled.charAt(at) != sought.charAt(i)) {
                at++;
            }
            if (at >= spelled.length() || spelled.charAt(at) != sought.charAt(i)) {
                return -1;
            }
            at++;
        }
        return at;
    }

    private int begin(int at, boolean number) {
        int begin = at;
        while (number && begin > 0 && spelled.charAt(begin - 1) == '0') {
            begin--;
        }
        return begin;
    }

    private boolean continues(int index, boolean number) {
        if (index < 0 || index >= spelled.length()) {
            return false;
        }
        char next = spelled.charAt(index);
        return number ? Character.isDigit(next) : Character.isLetterOrDigit(next);
    }

    private void addAll(String text, int from, int until) {
        for (int at = from; at < until; ) {
            int letter = text.codePointAt(at);
            int end = Math.min(until, at + Character.charCount(letter));
            add(letter, at, end);
            at = end;
        }
    }

    private void addEscaped(Matcher escaped) {
        String percent = escaped.group("percent");
        String text;
        if (percent != null) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 1; i < percent.length(); i += 3) {
                bytes.write(Integer.parseInt(percent.substring(i, i + 2), 16));
            }
            text = bytes.toString(UTF_8);
        } else if (escaped.group("hex") != null) {
            text = String.valueOf((char) Integer.parseInt(escaped.group("hex"), 16));
        } else if (escaped.group("decimal") != null) {
            text = Character.toString(Math.min(Integer.parseInt(escaped.group("decimal")), Character.MAX_CODE_POINT));
        } else if (escaped.group("markup") != null) {
            text = Character.toString(Integer.parseInt(escaped.group("markup"), 16));
        } else {
            text = NAMED.getOrDefault(escaped.group("name"), escaped.group());
        }
        // a match of a part hides all of it: half an escape would tell the rest
        text.codePoints().forEach(letter -> add(letter, escaped.start(), escaped.end()));
    }

    private void add(int letter, int start, int end) {
        if (letter < 128) {
            append(Character.toLowerCase((char) letter), start, end);
            return;
        }
        Normalizer.normalize(Character.toString(letter), Normalizer.Form.NFKD)
                .codePoints()
                .forEach(part -> addPart(Character.toLowerCase(part), start, end));
    }

    private void addPart(int part, int start, int end) {
        String letters = LETTERS.get(part);
        if (part == 'ø' && digraphs) {
            letters = "oe";
        }
        if (letters != null) {
            letters.chars().forEach(each -> append((char) each, start, end));
        } else if (Character.getType(part) == Character.NON_SPACING_MARK) {
            addMark(part, end);
        } else {
            for (char each : Character.toChars(part)) {
                append(each, start, end);
            }
        }
    }

    /** Belongs to the letter before it. */
    private void addMark(int mark, int end) {
        int last = spelled.length() - 1;
        if (last < 0) {
            return;
        }
        ends[last] = Math.max(ends[last], end);
        if (digraphs && mark == DIAERESIS && "aou".indexOf(spelled.charAt(last)) >= 0) {
            append('e', starts[last], end);
        }
    }

    private void append(char letter, int start, int end) {
        if (compact && !Character.isLetterOrDigit(letter) && !Character.isSurrogate(letter)) {
            return;
        }
        int size = spelled.length();
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            ends = Arrays.copyOf(ends, size * 2);
        }
        starts[size] = start;
        ends[size] = end;
        spelled.append(letter == '+' ? ' ' : letter); // in an address a blank
    }
}
