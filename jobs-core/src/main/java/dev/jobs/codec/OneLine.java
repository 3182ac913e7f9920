package dev.jobs.codec;

import dev.jobs.Internal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes foreign text safe as part of one line: shortened, without characters that break lines or control terminals. */
@Internal
public final class OneLine {

    private static final int MOST_CHARACTERS = 100;
    private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private OneLine() {}

    /** Returns at most 100 characters of the text, or the text {@code null}. */
    public static String of(@Nullable String text) {
        return of(String.valueOf(text), MOST_CHARACTERS);
    }

    /** Returns at most the given number of characters of the text; {@code …} follows if it was longer. */
    public static String of(String text, int characters) {
        if (isPlain(text, characters)) {
            return text;
        }
        String cut = text.length() > characters ? text.substring(0, characters) + "…" : text;
        return NOT_SHOWN.matcher(cut).replaceAll("?");
    }

    /** Fast path: nearly all names and ids are plain, and each job's are checked. */
    private static boolean isPlain(String text, int characters) {
        if (text.length() > characters) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) >= 0x7f) {
                return false;
            }
        }
        return true;
    }
}
