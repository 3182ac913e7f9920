package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.harness.Results.Row;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A figure for each round that is computed from the tables of the results. A title of a table begins with the name of its
 * measurement.
 *
 * @param sources what has to be measured for it
 */
record Figure(Set<Source> sources, Computation computation) {

    /** The name of this library among the drivers, and in the measurements of it alone that have no variants. */
    static final String JOBS = "jobs";

    private static final Pattern MEASUREMENT = Pattern.compile("[a-z0-9-]+");

    /** A measurement, and a driver that takes part in it. */
    record Source(String measurement, String driver) {}

    /** A figure and what people read of it, with its unit if it is no ratio. */
    record Named(String title, Figure figure) {}

    /** How it is computed. */
    interface Computation {

        /** @param side turns the names of this library into those of another driver that stands in its place */
        Row in(Results results, UnaryOperator<String> side);
    }

    /** What was measured of this library. */
    static Figure of(String title) {
        return of(title, JOBS);
    }

    /** @param variant the name of a row in a table of this library alone */
    static Figure of(String title, String variant) {
        return new Figure(Set.of(source(title, JOBS)), (results, side) -> results.row(title, side.apply(variant)));
    }

    /** What was measured of a driver that runs this library in its own way. */
    static Figure ofDriver(String title, String driver) {
        return new Figure(Set.of(source(title, driver)), (results, side) -> results.row(title, side.apply(driver)));
    }

    /** The largest of what was measured of these peers, in the rounds in which all were measured that took part. */
    static Figure best(String title, List<String> peers) {
        return new Figure(
                peers.stream().map(peer -> source(title, peer)).collect(Collectors.toSet()),
                (results, side) -> Row.best(
                        peers.stream().map(peer -> results.row(title, peer)).toList()));
    }

    /** The ratio of this library to a peer. */
    static Figure ratioTo(String peer, String title) {
        return of(title).relativeTo(best(title, List.of(peer)));
    }

    private static Source source(String title, String driver) {
        Matcher measurement = MEASUREMENT.matcher(title);
        if (!measurement.lookingAt()) {
            throw new IllegalArgumentException("no measurement in '" + title + "'");
        }
        return new Source(measurement.group(), driver);
    }

    Row in(Results results, UnaryOperator<String> side) {
        return computation.in(results, side);
    }

    Figure relativeTo(Figure other) {
        return new Figure(both(other), (results, side) -> in(results, side).ratioTo(other.in(results, side)));
    }

    Figure less(Figure other) {
        return new Figure(both(other), (results, side) -> in(results, side).less(other.in(results, side)));
    }

    Named named(String title) {
        return new Named(title, this);
    }

    private Set<Source> both(Figure other) {
        return Stream.concat(sources.stream(), other.sources.stream()).collect(Collectors.toCollection(HashSet::new));
    }
}
