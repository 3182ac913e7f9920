package dev.jobs.admin;

import org.jspecify.annotations.Nullable;

/**
 * Where a pass through a set stopped.
 *
 * @param end the score at which it ends
 * @param left jobs that it may look at yet
 * @param reached the score of the last job that it looked at
 * @param stayedThere jobs of that score that it left there
 */
record SweepCursor(double end, long left, double reached, long stayedThere) {

    private static final int MOST_CHARACTERS = 200;

    /** @throws IllegalArgumentException if the text was made by nobody */
    static @Nullable SweepCursor parse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String[] parts = text.length() > MOST_CHARACTERS ? new String[0] : text.split("_", -1);
        try {
            if (parts.length == 4) {
                SweepCursor cursor = new SweepCursor(
                        Double.parseDouble(parts[0]),
                        Long.parseLong(parts[1]),
                        Double.parseDouble(parts[2]),
                        Long.parseLong(parts[3]));
                if (!Double.isNaN(cursor.end) && !Double.isNaN(cursor.reached) && cursor.stayedThere >= 0) {
                    return cursor;
                }
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("'cursor' must be that of the answer before, or none");
    }

    String text() {
        return end + "_" + left + "_" + reached + "_" + stayedThere;
    }
}
