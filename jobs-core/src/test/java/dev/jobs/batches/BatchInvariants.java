package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchTestBed.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What holds for batches and their jobs at every moment. */
final class BatchInvariants {

    private static final Pattern JID = Pattern.compile("\"jid\":\"(\\w{24})\"");
    private static final Set<String> WAITING = Set.of("queue", "retry", "schedule", "staged", "aside", "held");

    private final BatchTestBed batches;
    private final Map<String, Plan> plans = new HashMap<>();
    private final Map<String, Map<String, String>> noted = new HashMap<>();
    private final Set<String> ended = new HashSet<>();

    BatchInvariants(BatchTestBed batches) {
        this.batches = batches;
    }

    void add(String id, Plan plan) {
        plans.put(id, plan);
    }

    /** The batch has expired. */
    void forget(String id) {
        plans.remove(id);
        noted.remove(id);
    }

    /** Checks all batches. */
    void check() {
        SortedMap<String, Object> stored = batches.bed.stored();
        Map<String, List<String>> places = places(stored);
        for (String id : plans.keySet()) {
            Map<String, String> counters = hash(stored, "jobs:batch:" + id);
            assertThat(counters).as("counters of %s", id).isNotEmpty();
            int jobs = checkJobs(id, 0, (String) stored.getOrDefault("jobs:batch:" + id + ":s", ""), places)
                    + checkJobs(
                            id,
                            BatchJobId.FIRST_GROWN,
                            (String) stored.getOrDefault("jobs:batch:" + id + ":g", ""),
                            places);
            assertThat(places.keySet().stream()
                            .filter(jid -> jid.startsWith(id))
                            .filter(jid -> !BatchJobId.parse(jid).isCallback()))
                    .as("jobs of %s that it counts", id)
                    .hasSizeLessThanOrEqualTo(jobs);
            checkCallbacks(id, counters, places);
            checkEvents(id, counters);
            batches.assertExact(id);
        }
        assertThat(batches.bed.books().conservationError()).isZero();
    }

    private static int checkJobs(String id, long first, String states, Map<String, List<String>> places) {
        int jobs = 0;
        for (int i = 0; i < states.length(); i++) {
            char state = states.charAt(i);
            String jid = new BatchJobId(id, first + i).jid();
            checkPlace(jid, state, places.getOrDefault(jid, List.of()));
            jobs += state == 0 ? 0 : 1;
        }
        return jobs;
    }

    private static void checkPlace(String jid, char state, List<String> places) {
        String what = "job " + jid + " in state '" + state + "' is in " + places;
        switch (state) {
            case 'q', 'r' ->
                assertThat(places.size() == 1 && WAITING.contains(places.get(0)))
                        .as(what)
                        .isTrue();
            case 'w', 'v' -> assertThat(places).as(what).containsExactly("held");
            case 'd' -> assertThat(places).as(what).containsExactly("dead");
            case 'k' ->
                assertThat(places.isEmpty() || places.equals(List.of("trash")))
                        .as(what)
                        .isTrue();
            default -> assertThat(places).as(what).isEmpty();
        }
    }

    /** A callback is created with its event, once. */
    private void checkCallbacks(String id, Map<String, String> counters, Map<String, List<String>> places) {
        for (BatchEvent event : BatchEvent.values()) {
            String state = counters.get("c" + (event.ordinal() + 1));
            String jid = new BatchJobId(id, BatchJobId.FIRST_CALLBACK + 1 + event.ordinal()).jid();
            boolean expected =
                    plans.get(id).definition().callbacks().containsKey(event) && counters.containsKey(name(event));
            assertThat(state != null).as("callback of %s for %s", id, event).isEqualTo(expected);
            if (state == null) {
                assertThat(places).doesNotContainKey(jid);
                continue;
            }
            checkPlace(jid, state.charAt(0), places.getOrDefault(jid, List.of()));
            if (state.equals("s")) {
                ended.add(jid);
            }
            assertThat(ended.contains(jid)).as("%s is done", jid).isEqualTo(state.equals("s"));
        }
    }

    /** An event keeps its time; one that has come is noted, or the batch wants a look. */
    private void checkEvents(String id, Map<String, String> counters) {
        Map<String, String> before = noted.computeIfAbsent(id, none -> new HashMap<>());
        assertThat(counters).as("events keep their times").containsAllEntriesOf(before);
        for (BatchEvent event : BatchEvent.values()) {
            String time = counters.get(name(event));
            if (time != null) {
                before.put(name(event), time);
            }
        }
        if (!batches.rest().contains(id)) {
            assertThat(before.keySet()).as("events of %s, %s", id, counters).containsAll(due(id, counters));
        }
        assertThat(number(counters, "children_open")).isNotNegative();
        assertThat(number(counters, "children_bad")).isNotNegative();
    }

    /** The events that have come, according to the counters, which are known to be exact. */
    Set<String> due(String id, Map<String, String> counters) {
        Set<String> due = new HashSet<>();
        BatchDefinition plan = plans.get(id).definition();
        boolean begun =
                number(counters, "open") == 0 && (number(counters, "waits") == 0 || counters.containsKey("cancelled"));
        boolean attempted = begun && number(counters, "fresh") == 0;
        boolean finished = attempted && number(counters, "again") == 0 && number(counters, "children_open") == 0;
        if (attempted) {
            due.add("attempted");
        }
        if (finished) {
            due.add("finished");
        }
        if (number(counters, "dead") > 0) {
            due.add("died");
        }
        if (finished
                && number(counters, "dead") + number(counters, "lost") + number(counters, "children_bad") == 0
                && !counters.containsKey("cancelled")
                && (plan.toleratesFailures() || number(counters, "failed") == 0)
                && (plan.toleratesSkipped() || number(counters, "skipped") == 0)) {
            due.add("succeeded");
        }
        return due;
    }

    static String name(BatchEvent event) {
        return event.name().toLowerCase(Locale.ROOT);
    }

    static long number(Map<String, String> counters, String name) {
        return Long.parseLong(counters.getOrDefault(name, "0"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> hash(SortedMap<String, Object> stored, String key) {
        return (Map<String, String>) stored.getOrDefault(key, Map.of());
    }

    /** Where the jobs of batches are, by jid; a place stands there twice if a job is there twice. */
    static Map<String, List<String>> places(SortedMap<String, Object> stored) {
        Map<String, List<String>> places = new HashMap<>();
        stored.forEach((key, value) -> {
            String kind = kind(key);
            if (kind.isEmpty()) {
                return;
            }
            if (value instanceof List<?> list) {
                list.forEach(job -> put(places, job, kind));
            } else if (value instanceof Map<?, ?> map) {
                (kind.equals("held") ? map.values() : map.keySet()).forEach(job -> put(places, job, kind));
            }
        });
        return places;
    }

    private static String kind(String key) {
        if (key.startsWith("queue:")) {
            return "queue";
        }
        if (key.startsWith("jobs:in:")) {
            return "held";
        }
        if (key.startsWith("jobs:cleared:")) {
            return "aside";
        }
        if (key.matches("jobs:batch:\\w{16}:(h:.*|z)")) {
            return "staged";
        }
        return switch (key) {
            case "retry", "schedule", "dead" -> key;
            case "jobs:trash" -> "trash";
            default -> "";
        };
    }

    private static void put(Map<String, List<String>> places, Object job, String kind) {
        Matcher jid = JID.matcher(job.toString());
        if (jid.find()) {
            places.computeIfAbsent(jid.group(1), none -> new ArrayList<>()).add(kind);
        }
    }
}
