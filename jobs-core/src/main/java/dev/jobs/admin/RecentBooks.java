package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jobs.Internal;
import dev.jobs.processes.SharedReading;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger for callers that come from every process again and again, as probes of health do: to read it, Redis looks
 * at each process, so one reads it for all. Thread-safe.
 */
@Internal
public final class RecentBooks {

    private static final int NUMBERS = 7;

    private final SharedReading shared;
    private final Supplier<@Nullable Books> now;

    /** @param now reads it; null if it can't be read */
    public RecentBooks(SharedReading shared, Supplier<@Nullable Books> now) {
        this.shared = shared;
        this.now = now;
    }

    @Nullable public Books read() {
        return shared.read(() -> Optional.ofNullable(now.get()), RecentBooks::text, RecentBooks::parse)
                .orElse(null);
    }

    private static byte[] text(Books books) {
        return LongStream.of(
                        books.claimed(),
                        books.acked(),
                        books.moved(),
                        books.requeued(),
                        books.recovered(),
                        books.poisoned(),
                        books.inFlight())
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "))
                .getBytes(US_ASCII);
    }

    /** Empty if it says something else. */
    private static Optional<Books> parse(byte[] text) {
        try {
            long[] numbers = Arrays.stream(new String(text, US_ASCII).split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return numbers.length == NUMBERS
                    ? Optional.of(new Books(
                            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
