package dev.jobs.gauges;

import dev.jobs.admin.Books;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Stats;
import dev.jobs.batches.BatchErrors;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.gauges.GaugeReading.AtLimit;
import dev.jobs.processes.SharedReading.Last;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A reading of gauges as text, which all processes of this version understand. */
final class GaugeReadingText {

    /**
     * What a text says.
     *
     * @param batches where the check of batches goes on
     */
    record Read(GaugeReading reading, BatchErrors.Found batches) {}

    private GaugeReadingText() {}

    static byte[] write(GaugeReading reading, BatchErrors.Found batches) {
        Stats stats = reading.stats();
        Books books = stats.books();
        Map<String, Object> text = new LinkedHashMap<>();
        text.put(
                "stats",
                List.of(
                        stats.processed(),
                        stats.failed(),
                        stats.enqueued(),
                        stats.parked(),
                        stats.scheduled(),
                        stats.retries(),
                        stats.dead(),
                        stats.busy(),
                        (long) stats.processes()));
        if (books != null) {
            text.put(
                    "books",
                    List.of(
                            books.claimed(),
                            books.acked(),
                            books.moved(),
                            books.requeued(),
                            books.recovered(),
                            books.poisoned(),
                            books.inFlight()));
        }
        text.put(
                "queues",
                reading.queues().stream()
                        .map(each ->
                                List.of(each.name(), each.size(), micros(each.latency()), each.paused(), each.broken()))
                        .toList());
        text.put(
                "limits",
                reading.limits().stream()
                        .map(each -> List.of(each.name(), each.held(), each.waiting(), micros(each.longestWait())))
                        .toList());
        text.put("batches", batches.members());
        try {
            return JsonObject.of(text).bytes();
        } catch (JsonException e) {
            throw new IllegalStateException(e); // texts, numbers and truth values have a JSON form
        }
    }

    /** Null if it says something else. */
    static @Nullable Read parse(Last last) {
        try {
            JsonObject text = JsonObject.parse(last.text());
            BatchErrors.Found batches = BatchErrors.Found.of(text.get("batches"));
            List<QueueInfo> queues = new ArrayList<>();
            for (Object each : list(text.get("queues"))) {
                List<?> of = list(each);
                queues.add(new QueueInfo(
                        (String) of.get(0),
                        number(of, 1),
                        duration(of, 2),
                        Boolean.TRUE.equals(of.get(3)),
                        Boolean.TRUE.equals(of.get(4))));
            }
            List<AtLimit> limits = new ArrayList<>();
            for (Object each : list(text.get("limits"))) {
                List<?> of = list(each);
                limits.add(new AtLimit((String) of.get(0), number(of, 1), number(of, 2), duration(of, 3)));
            }
            return new Read(
                    new GaugeReading(
                            last.at(),
                            last.age(),
                            stats(list(text.get("stats")), text.get("books")),
                            queues,
                            limits,
                            batches.unfinished(),
                            batches.error()),
                    batches);
        } catch (JsonException | ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static Stats stats(List<?> of, @Nullable Object kept) {
        Books books = null;
        if (kept != null) {
            List<?> all = list(kept);
            books = new Books(
                    number(all, 0),
                    number(all, 1),
                    number(all, 2),
                    number(all, 3),
                    number(all, 4),
                    number(all, 5),
                    number(all, 6));
        }
        return new Stats(
                number(of, 0),
                number(of, 1),
                number(of, 2),
                number(of, 3),
                number(of, 4),
                number(of, 5),
                number(of, 6),
                number(of, 7),
                (int) number(of, 8),
                books);
    }

    /** The same reading, with the time under which others find it. */
    static GaugeReading at(GaugeReading made, Instant at) {
        return new GaugeReading(
                at, made.age(), made.stats(), made.queues(), made.limits(), made.openBatches(), made.batchError());
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    private static Duration duration(List<?> of, int index) {
        return Duration.ofNanos(number(of, index) * 1_000);
    }

    private static long number(List<?> of, int index) {
        return ((Number) of.get(index)).longValue();
    }

    private static List<?> list(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw new ClassCastException("not a list");
    }
}
