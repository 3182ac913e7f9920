package dev.jobs.codec;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Text that anybody may have written, as a part of one line: cut, and without characters that end lines or steer terminals. */
public final class OneLine {

    private static final int MOST_CHARACTERS = 100;
    private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private OneLine() {}

    /** The text, at most 100 characters of it; {@code null} if there is none. */
    public static String of(@Nullable String text) {
        return of(String.valueOf(text), MOST_CHARACTERS);
    }

    /** The text, at most so many characters of it. */
    public static String of(String text, int characters) {
        if (isPlain(text, characters)) {
            return text;
        }
        String cut = text.length() > characters ? text.substring(0, characters) + "…" : text;
        return NOT_SHOWN.matcher(cut).replaceAll("?");
    }

    /** Nearly all names and ids are, and they are looked at for each job. */
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
