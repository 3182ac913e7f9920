package dev.jobs.benchmarks.driver;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** One line of JSON. */
public final class Answer {

    private final Map<String, String> fields = new LinkedHashMap<>();

    public Answer with(String name, long value) {
        fields.put(name, Long.toString(value));
        return this;
    }

    public Answer with(String name, double value) {
        fields.put(name, Double.isFinite(value) ? Double.toString(Math.round(value * 1000) / 1000.0) : "null");
        return this;
    }

    public Answer with(String name, String value) {
        fields.put(name, quoted(value));
        return this;
    }

    public Answer with(Map<String, Long> values) {
        values.forEach(this::with);
        return this;
    }

    @Override
    public String toString() {
        return fields.entrySet().stream()
                .map(field -> quoted(field.getKey()) + ":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                default -> json.append(c < ' ' ? ' ' : c);
            }
        }
        return json.append('"').toString();
    }
}
