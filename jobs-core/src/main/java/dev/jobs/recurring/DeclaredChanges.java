package dev.jobs.recurring;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.RubyTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a start of an application changed about the recurring jobs that it declares.
 *
 * @param application its name; empty if it has none
 * @param at when, to the second; null if that is not known
 * @param changes at most 100
 */
public record DeclaredChanges(String application, @Nullable Instant at, List<Change> changes) {

    private static final int MOST = 100;
    private static final int MOST_CHARACTERS = 500;

    /** What became of a recurring job. */
    public enum Kind {
        /** It is new. */
        ADDED,
        /** It was there and is other now. */
        CHANGED,
        /** It is no longer declared, or turned off. */
        REMOVED
    }

    /**
     * A recurring job that was changed.
     *
     * @param was what was other before, for people; empty unless it was changed
     */
    public record Change(String name, Kind kind, String was) {

        private List<String> fields() {
            return List.of(
                    name, kind.name(), JsonText.wellFormed(was.substring(0, Math.min(was.length(), MOST_CHARACTERS))));
        }
    }

    public DeclaredChanges {
        changes = List.copyOf(changes);
    }

    /** As it is stored. */
    byte[] json() {
        return Payload.of(Map.of(
                        "application",
                        application,
                        "at",
                        at == null ? "" : RubyTime.inUtc(at),
                        "changes",
                        changes.stream().limit(MOST).map(Change::fields).toList()))
                .bytes();
    }

    /** Reads what is stored; what can't be read is left out. */
    static DeclaredChanges parse(byte[] stored) {
        try {
            Payload payload = Payload.parse(stored);
            List<Change> changes = new ArrayList<>();
            if (payload.get("changes") instanceof List<?> all) {
                all.forEach(each -> addIfChange(each, changes));
            }
            return new DeclaredChanges(
                    Objects.requireNonNullElse(payload.text("application"), ""),
                    RubyTime.parse(payload.text("at")),
                    changes);
        } catch (InvalidPayloadException e) {
            return new DeclaredChanges("", null, List.of());
        }
    }

    private static void addIfChange(Object stored, List<Change> changes) {
        if (stored instanceof List<?> fields && fields.size() == 3) {
            for (Kind kind : Kind.values()) {
                if (kind.name().equals(fields.get(1))) {
                    changes.add(new Change(String.valueOf(fields.get(0)), kind, String.valueOf(fields.get(2))));
                }
            }
        }
    }
}
