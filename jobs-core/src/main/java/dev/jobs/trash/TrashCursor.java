package dev.jobs.trash;

/**
 * How far a search has come through the trash, from the newest entry to the oldest. It doesn't count entries, since
 * others may delete and restore jobs meanwhile.
 *
 * @param latest the time of deletion that it has reached, as stored
 * @param skip how many entries of that time it looked at that are still there
 */
record TrashCursor(double latest, long skip) {

    static final TrashCursor NEWEST = new TrashCursor(Double.POSITIVE_INFINITY, 0);

    private static final int MOST_CHARACTERS = 60;

    /** @throws IllegalArgumentException if no search wrote the text */
    static TrashCursor parse(String text) {
        String[] parts = text.length() > MOST_CHARACTERS ? new String[0] : text.split("_", -1);
        try {
            if (parts.length == 2) {
                TrashCursor cursor = new TrashCursor(Double.parseDouble(parts[0]), Long.parseLong(parts[1]));
                if (!Double.isNaN(cursor.latest) && cursor.skip >= 0) {
                    return cursor;
                }
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("'cursor' must be that of the previous answer, or none");
    }

    /** The same after another entry. */
    TrashCursor after(double deleted, boolean stays) {
        return new TrashCursor(deleted, (deleted == latest ? skip : 0) + (stays ? 1 : 0));
    }

    String text() {
        return latest + "_" + skip;
    }
}
