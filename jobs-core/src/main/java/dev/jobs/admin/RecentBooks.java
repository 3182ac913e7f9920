package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.processes.SharedReading;
import dev.jobs.processes.SharedReading.Last;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger for callers that come from every process again and again, as probes of health do: to read it, Redis looks
 * at each process, so one reads it for all. Thread-safe.
 */
@Internal
public final class RecentBooks {

    private static final Logger log = LoggerFactory.getLogger(RecentBooks.class);

    /** How old may be what another process read, which may be about to read again. */
    private static final Duration USABLE = Duration.ofSeconds(10);

    private static final int NUMBERS = 7;

    private final SharedReading shared;
    private final Supplier<@Nullable Books> now;

    /** @param now reads it; null if it can't be read */
    public RecentBooks(SharedReading shared, Supplier<@Nullable Books> now) {
        this.shared = shared;
        this.now = now;
    }

    @Nullable public Books read() {
        Last last = shared.last();
        Books known = last.exists() && !last.mine() && last.age().compareTo(USABLE) < 0 ? parse(last.text()) : null;
        if (known != null) {
            return known;
        }
        Books books = now.get();
        if (books != null && last.mine() && last.shared()) {
            store(books);
        }
        return books;
    }

    private void store(Books books) {
        try {
            shared.store(LongStream.of(
                            books.claimed(),
                            books.acked(),
                            books.moved(),
                            books.requeued(),
                            books.recovered(),
                            books.poisoned(),
                            books.inFlight())
                    .mapToObj(Long::toString)
                    .collect(Collectors.joining(" "))
                    .getBytes(US_ASCII));
        } catch (JobStoreException e) {
            log.debug("The ledger could not be stored for others", e);
        }
    }

    /** Null if it says something else. */
    private static @Nullable Books parse(byte[] text) {
        try {
            long[] numbers = Arrays.stream(new String(text, US_ASCII).split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return numbers.length == NUMBERS
                    ? new Books(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6])
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
