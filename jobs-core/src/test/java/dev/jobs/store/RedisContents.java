package dev.jobs.store;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The contents of Redis, and which process holds which job according to them. */
record RedisContents(SortedMap<String, Object> stored) {

    private static final String IN_FLIGHT = "jobs:in:";

    /** All incarnations in the index of beats, including those that were given up. */
    @SuppressWarnings("unchecked")
    Map<String, Double> members() {
        return (Map<String, Double>) stored.getOrDefault("jobs:beats", Map.of());
    }

    boolean isAlive(String incarnation) {
        return members().getOrDefault(incarnation, 0.0) > 0;
    }

    boolean isGivenUp(String incarnation) {
        return members().getOrDefault(incarnation, 0.0) < 0;
    }

    boolean hasInFlightHashes() {
        return stored.keySet().stream().anyMatch(key -> key.startsWith(IN_FLIGHT));
    }

    boolean hasInFlightHash(String incarnation) {
        return stored.containsKey(IN_FLIGHT + incarnation);
    }

    /** The payloads of the jobs of an incarnation, by token. */
    SortedMap<String, String> inFlight(String incarnation) {
        return inFlight().getOrDefault(incarnation, new TreeMap<>());
    }

    /** The payloads of the jobs in the in-flight hashes, by token, by incarnation. */
    SortedMap<String, SortedMap<String, String>> inFlight() {
        SortedMap<String, SortedMap<String, String>> all = new TreeMap<>();
        stored.tailMap(IN_FLIGHT).forEach((key, hash) -> {
            if (key.startsWith(IN_FLIGHT)) {
                SortedMap<String, String> jobs = jobs((Map<?, ?>) hash);
                if (!jobs.isEmpty()) {
                    all.put(key.substring(IN_FLIGHT.length()), jobs);
                }
            }
        });
        return all;
    }

    private static SortedMap<String, String> jobs(Map<?, ?> hash) {
        SortedMap<String, String> jobs = new TreeMap<>();
        hash.forEach((field, entry) -> {
            if (!field.toString().startsWith("#")) {
                jobs.put(field.toString(), entry.toString());
            }
        });
        return jobs;
    }

    /** All jobs, wherever they are. */
    Set<String> jobs() {
        return new TreeSet<>(AllPlacesFixture.places(stored).keySet());
    }

    /** The number of counted effects. */
    int happened() {
        Map<?, ?> counts = (Map<?, ?>) stored.getOrDefault(ScriptTestBed.HAPPENED, Map.of());
        return counts.values().stream()
                .mapToInt(count -> Integer.parseInt(count.toString()))
                .sum();
    }

    int number(String key) {
        return Integer.parseInt((String) stored.getOrDefault(key, "0"));
    }
}
