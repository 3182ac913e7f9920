package dev.jobs.spring.autoconfigure.operations;

import dev.jobs.Internal;
import java.util.List;

/** A part of the endpoint, with its entries. */
@Internal
public interface Section {

    /** The segment of its path. */
    String name();

    /**
     * Its entries.
     *
     * @param unfinished whether to list only those that are not over
     * @param from the first entry to list
     */
    Answer list(boolean unfinished, long from);

    /** Whether nothing but the list can be asked for. */
    default boolean isList() {
        return false;
    }

    /** An entry. */
    default Answer one(String name) {
        throw new UnsupportedOperationException(name() + " is a list");
    }

    /** What can be done with an entry. */
    default List<String> actions() {
        return List.of();
    }

    /** Performs one of the actions. */
    default Answer change(String name, Change change) {
        throw new UnsupportedOperationException(name() + " has no actions");
    }
}
