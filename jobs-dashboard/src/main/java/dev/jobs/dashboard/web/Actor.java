package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request.
 *
 * @param id the name of the principal, or an address
 * @param name what people call the sender, or null if the application doesn't know it
 */
@Internal
public record Actor(String id, @Nullable String name) {

    private static final int MOST_NAME = 100;

    /** For pages. */
    String shown() {
        return name == null || name.isBlank() ? id : Shown.cut(name, MOST_NAME);
    }

    /** For the audit: a person who chooses a name can't pass for someone else. */
    String audited() {
        return shown().equals(id) ? id : shown() + " (" + id + ")";
    }
}
