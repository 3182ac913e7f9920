package dev.jobs.batches;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a batch when it is created, as stored.
 *
 * @param parent empty if it is no child
 * @param previous the batch that must succeed before it opens; empty if it opens when it is committed
 * @param next the batch that opens when it succeeds; empty if there is none
 * @param keepSeconds how long it is kept after its end; 0 for the default
 * @param unarchived whether it is kept for long, as something outside Redis still wants to read it
 * @param callbacks the payload of each event's callback
 * @param stagedQueues the queues for which jobs wait until it opens
 */
@Internal
public record BatchDefinition(
        String name,
        String description,
        List<String> tags,
        String owner,
        String parent,
        String previous,
        String next,
        boolean toleratesFailures,
        boolean toleratesSkipped,
        boolean keepsResults,
        long keepSeconds,
        boolean unarchived,
        Map<BatchEvent, byte[]> callbacks,
        List<String> stagedQueues) {

    private static final String QUEUE = "q:";
    private static final String CALLBACK = "callback:";

    /** The field that is there as long as a finished batch is to be kept for {@link BatchArchiving}. */
    static final String UNARCHIVED = "unarchived";

    public BatchDefinition {
        tags = List.copyOf(tags);
        callbacks = Map.copyOf(callbacks);
        stagedQueues = List.copyOf(stagedQueues);
    }

    /** The fields and values of the hash. */
    List<byte[]> fields() {
        Map<String, byte[]> fields = new LinkedHashMap<>();
        put(fields, "name", name);
        put(fields, "description", description);
        put(fields, "tags", String.join("\n", tags));
        put(fields, "owner", owner);
        put(fields, "parent", parent);
        put(fields, "previous", previous);
        put(fields, "next", next);
        put(fields, "tolerates", (toleratesFailures ? "f" : "") + (toleratesSkipped ? "k" : ""));
        put(fields, "results", keepsResults ? "1" : "");
        put(fields, "keep", keepSeconds == 0 ? "" : Long.toString(keepSeconds));
        put(fields, UNARCHIVED, unarchived ? "1" : "");
        callbacks.forEach((event, payload) -> fields.put(CALLBACK + (event.ordinal() + 1), payload));
        return fields.entrySet().stream()
                .flatMap(field -> List.of(Bytes.of(field.getKey()), field.getValue()).stream())
                .toList();
    }

    /** The same without its callbacks, which may be large. */
    BatchDefinition withoutCallbacks() {
        return new BatchDefinition(
                name,
                description,
                tags,
                owner,
                parent,
                previous,
                next,
                toleratesFailures,
                toleratesSkipped,
                keepsResults,
                keepSeconds,
                unarchived,
                Map.of(),
                stagedQueues);
    }

    private static void put(Map<String, byte[]> fields, String name, String value) {
        if (!value.isEmpty() || name.equals("name")) {
            fields.put(name, Bytes.of(value));
        }
    }

    static BatchDefinition of(Map<String, byte[]> fields) {
        Map<BatchEvent, byte[]> callbacks = new EnumMap<>(BatchEvent.class);
        for (BatchEvent event : BatchEvent.values()) {
            byte[] payload = fields.get(CALLBACK + (event.ordinal() + 1));
            if (payload != null) {
                callbacks.put(event, payload);
            }
        }
        TreeSet<String> queues = new TreeSet<>();
        fields.keySet().stream()
                .filter(field -> field.startsWith(QUEUE))
                .forEach(field -> queues.add(field.substring(QUEUE.length())));
        String tags = text(fields.get("tags"));
        String keep = text(fields.get("keep"));
        return new BatchDefinition(
                text(fields.get("name")),
                text(fields.get("description")),
                tags.isEmpty() ? List.of() : List.of(tags.split("\n")),
                text(fields.get("owner")),
                text(fields.get("parent")),
                text(fields.get("previous")),
                text(fields.get("next")),
                text(fields.get("tolerates")).contains("f"),
                text(fields.get("tolerates")).contains("k"),
                !text(fields.get("results")).isEmpty(),
                seconds(keep),
                !text(fields.get(UNARCHIVED)).isEmpty(),
                callbacks,
                List.copyOf(queues));
    }

    private static long seconds(String text) {
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0; // only we write there, but other clients can
        }
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "" : new String(value, UTF_8);
    }
}
