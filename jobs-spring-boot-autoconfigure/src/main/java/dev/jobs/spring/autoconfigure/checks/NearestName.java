package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds what people meant by a name that doesn't exist. */
@Internal
public final class NearestName {

    /** A word may have one wrong letter for each so many; shorter words have none. */
    private static final int LETTERS = 4;

    private NearestName() {}

    /** The name that is nearest to the given one; null if none is near. */
    public static @Nullable String of(String name, Collection<String> known) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String each : known) {
            int distance = letters(each).equals(letters(name)) ? 0 : distance(each, name);
            if (distance < least && distance <= Math.min(each.length(), name.length()) / LETTERS) {
                nearest = each;
                least = distance;
            }
        }
        return nearest;
    }

    /** The same as the end of a sentence; empty if none is near. */
    public static String question(String name, Collection<String> known) {
        String nearest = of(name, known);
        return nearest == null ? "" : "; did you mean '" + nearest + "'?";
    }

    /** Letters and digits alone, which is what Spring compares. */
    static String letters(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    /** How many letters are wrong, missing, too many, or swapped with the next one. */
    private static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        int[] last = new int[other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            int[] row = new int[other.length() + 1];
            for (int j = 0; j <= other.length(); j++) {
                row[j] = i == 0 || j == 0
                        ? i + j
                        : Math.min(
                                Math.min(last[j], row[j - 1]) + 1,
                                last[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1));
                if (i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1)) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
            before = last;
            last = row;
        }
        return last[other.length()];
    }
}
