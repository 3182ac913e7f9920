package dev.jobs.dashboard.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A line to a browser, over a web socket: numbered calls with answers, and events. Chromium's DevTools protocol and
 * WebDriver BiDi have the same messages. Thread-safe.
 */
final class Wire implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final JsonMapper json = new JsonMapper();
    private final Map<Long, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final Queue<JsonNode> events = new ConcurrentLinkedQueue<>();
    private final AtomicLong numbers = new AtomicLong();
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;

    Wire(URI address) {
        socket = http.newWebSocketBuilder()
                .buildAsync(address, new Listener())
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /**
     * Calls a method and waits for its result.
     *
     * @throws IllegalStateException if the browser answers with an error
     */
    JsonNode call(String method, Map<String, ?> parameters) {
        long number = numbers.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        calls.put(number, answer);
        String message = json.writeValueAsString(Map.of("id", number, "method", method, "params", parameters));
        socket.sendText(message, true)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        JsonNode result = answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        if (result.has("error")) {
            throw new IllegalStateException(method + ": " + result);
        }
        return result.path("result");
    }

    /** The parameters of all events of that name so far. */
    List<JsonNode> events(String name) {
        return events.stream()
                .filter(event -> event.path("method").asString("").equals(name))
                .map(event -> event.path("params"))
                .toList();
    }

    @Override
    public void close() {
        socket.abort();
    }

    private final class Listener implements WebSocket.Listener {

        private final StringBuilder message = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            message.append(part);
            if (last) {
                accept(json.readTree(message.toString()));
                message.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void accept(JsonNode read) {
            CompletableFuture<JsonNode> call =
                    read.path("id").isNumber() ? calls.remove(read.path("id").asLong()) : null;
            if (call != null) {
                call.complete(read);
            } else {
                events.add(read);
            }
        }
    }
}
