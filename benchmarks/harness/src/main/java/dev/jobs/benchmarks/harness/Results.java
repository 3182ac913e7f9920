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
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The results: a line of JSON for each measurement as it is made, and a table at the end. */
final class Results implements AutoCloseable {

    /** Measured values of one driver by round. */
    record Row(Map<Integer, Double> byRound) {

        /** The best result of several drivers in each round. */
        static Row best(List<Row> rows) {
            Map<Integer, Double> best = new TreeMap<>();
            rows.forEach(row -> row.byRound.forEach((round, value) -> best.merge(round, value, Math::max)));
            return new Row(best);
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
            Map<Integer, Double> ratios = new TreeMap<>();
            byRound.forEach((round, value) -> {
                Double other = reference.byRound.get(round);
                if (other != null && other != 0) {
                    ratios.put(round, value / other);
                }
            });
            return new Row(ratios);
        }
    }

    private final long begin = System.nanoTime();
    private final PrintStream out;
    private final PrintStream file;
    private final String reference;
    private final Map<String, Map<String, Row>> tables = new LinkedHashMap<>();
    private final Map<String, String> notes = new LinkedHashMap<>();

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
        if (notes.put(who + ": " + what, reason) == null) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("measurement", what).put("who", who).put("skipped", reason);
            out.println(line);
            file.println(line);
        }
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
        notes.forEach((what, reason) -> out.println("  " + what + " - not measured: " + reason));
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
