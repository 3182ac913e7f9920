package dev.jobs.history;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Times in the database: UTC without an offset, in milliseconds, so that no driver converts them. */
final class Times {

    private Times() {}

    static LocalDateTime stored(Instant time) {
        return LocalDateTime.ofInstant(time.truncatedTo(ChronoUnit.MILLIS), ZoneOffset.UTC);
    }

    static @Nullable LocalDateTime storedOrNull(@Nullable Instant time) {
        return time == null ? null : stored(time);
    }

    /** A column that has a time in each row. */
    static Instant read(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(read(row.getObject(column, LocalDateTime.class)));
    }

    static @Nullable Instant read(@Nullable LocalDateTime stored) {
        return stored == null ? null : stored.toInstant(ZoneOffset.UTC);
    }
}
