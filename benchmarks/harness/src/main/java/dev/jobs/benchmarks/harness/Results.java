package dev.jobs.benchmarks.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The results: a line of JSON for each measurement as it is made, and a table at the end. */
final class Results implements AutoCloseable {

    /** Measured values of one driver by round. */
    record Row(Map<Integer, Double> byRound) {

        /** The best result of several drivers in each round. A driver without any result doesn't count. */
        static Row best(List<Row> rows) {
            return rows.stream()
                    .filter(row -> !row.byRound.isEmpty())
                    .reduce((one, other) -> one.with(other, Math::max))
                    .orElse(new Row(Map.of()));
        }

        double median() {
            if (byRound.isEmpty()) {
                return Double.NaN;
            }
            List<Double> sorted = byRound.values().stream().sorted().toList();
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }

        double least() {
            return byRound.values().stream()
                    .mapToDouble(Double::doubleValue)
                    .min()
                    .orElse(Double.NaN);
        }

        double most() {
            return byRound.values().stream()
                    .mapToDouble(Double::doubleValue)
                    .max()
                    .orElse(Double.NaN);
        }

        /** The ratios within each round. */
        Row ratioTo(Row reference) {
            return with(reference, (value, other) -> value / other);
        }

        /** The differences within each round. */
        Row less(Row other) {
            return with(other, (value, its) -> value - its);
        }

        /** Without signs. */
        Row sizes() {
            return with(this, (value, same) -> Math.abs(value));
        }

        /** Of each round that both have, what is a number. */
        private Row with(Row other, DoubleBinaryOperator computation) {
            Map<Integer, Double> computed = new TreeMap<>();
            byRound.forEach((round, value) -> {
                Double its = other.byRound.get(round);
                double result = its == null ? Double.NaN : computation.applyAsDouble(value, its);
                if (Double.isFinite(result)) {
                    computed.put(round, result);
                }
            });
            return new Row(computed);
        }
    }

    /**
     * What couldn't be measured.
     *
     * @param what a measurement, a round, or all
     */
    private record Missing(String who, String what) {

        boolean concerns(String someone, String measurement) {
            return who.equals(someone) && (what.equals(measurement) || what.equals("all") || what.startsWith("round "));
        }
    }

    private final long begin = System.nanoTime();
    private final PrintStream out;
    private final PrintStream file;
    private final String reference;
    private final Map<String, Map<String, Row>> tables = new LinkedHashMap<>();
    private final Map<Missing, String> notes = new LinkedHashMap<>();

    Results(PrintStream out, Path file, String reference) throws IOException {
        Files.createDirectories(file.getParent());
        this.out = out;
        this.file = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
        this.reference = reference;
    }

    /** Adds a line with all details of a measurement. */
    void line(String measurement, String who, int round, ObjectNode details) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("measurement", measurement).put("who", who).put("round", round);
        line.put("at_seconds", (System.nanoTime() - begin) / 1_000_000_000);
        details.propertyStream().forEach(each -> line.set(each.getKey(), each.getValue()));
        out.println(line);
        file.println(line);
    }

    /** Adds a value to the table. */
    void value(String title, String who, int round, double value) {
        if (Double.isFinite(value)) {
            tables.computeIfAbsent(title, key -> new LinkedHashMap<>())
                    .computeIfAbsent(who, key -> new Row(new TreeMap<>()))
                    .byRound()
                    .put(round, value);
        }
    }

    /** Notes once that something can't be measured, and why. */
    void note(String who, String what, String reason) {
        if (notes.put(new Missing(who, what), reason) == null) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("measurement", what).put("who", who).put("skipped", reason);
            out.println(line);
            file.println(line);
        }
    }

    /** Why a driver, or a round of it, has no result in a measurement; null if nothing is known. */
    @Nullable String reason(String who, String measurement) {
        return notes.entrySet().stream()
                .filter(note -> note.getKey().concerns(who, measurement))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** The values of a driver in a table; empty if it wasn't measured. */
    Row row(String title, String who) {
        return tables.getOrDefault(title, Map.of()).getOrDefault(who, new Row(Map.of()));
    }

    void printTable() {
        out.println();
        tables.forEach((title, rows) -> {
            String baseName = rows.containsKey(reference)
                    ? reference
                    : rows.keySet().iterator().next();
            Row base = rows.getOrDefault(baseName, new Row(Map.of()));
            out.printf(Locale.ROOT, "%-44s %14s %14s %14s  ratio to %s%n", title, "median", "least", "most", baseName);
            rows.forEach((who, row) -> out.printf(
                    Locale.ROOT,
                    "  %-42s %14s %14s %14s %10s%n",
                    who,
                    shown(row.median()),
                    shown(row.least()),
                    shown(row.most()),
                    shown(row.ratioTo(base).median())));
            out.println();
        });
        notes.forEach((missing, reason) ->
                out.println("  " + missing.who() + ": " + missing.what() + " - not measured: " + reason));
    }

    static String shown(double value) {
        double size = Math.abs(value);
        return String.format(
                Locale.ROOT, size >= 1_000 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.01 ? "%.3f" : "%.5f", value);
    }

    @Override
    public void close() {
        file.close();
    }
}
