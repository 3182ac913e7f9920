package dev.jobs.faults;

import dev.jobs.faults.RecoveryTimes.Recovery;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fates of the jobs of a trial.
 *
 * @param enqueued jobs whose enqueueing was confirmed
 * @param executed of those, jobs that finished at least once
 * @param buried of the others, jobs in the dead set
 * @param lost of the others, jobs that neither finished nor exist in any place in Redis
 * @param duplicates executions that began although the retry policy required none
 * @param recovered jobs that were put back after the death of their worker, by Redis' books
 * @param handedBack jobs that were handed back by a worker that stopped, by Redis' books
 * @param recoveries how long jobs whose worker died waited for their next start
 * @param leftInProgress jobs that are still claimed
 * @param conservationError jobs that the books can't account for
 * @param probe how long it took until every thread of every worker was taken by a fresh job
 * @param more figures that only this scenario has
 */
record Verdict(
        String scenario,
        Dose dose,
        int enqueued,
        int executed,
        int buried,
        int lost,
        int duplicates,
        long recovered,
        long handedBack,
        List<Recovery> recoveries,
        long leftInProgress,
        long conservationError,
        Duration probe,
        Duration took,
        Map<String, Object> more) {

    /** One line of JSON. */
    String toJson() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("scenario", '"' + scenario + '"');
        members.put("dose", '"' + dose.name().toLowerCase(java.util.Locale.ROOT) + '"');
        members.put("enqueued", enqueued);
        members.put("executed", executed);
        members.put("buried", buried);
        members.put("lost", lost);
        members.put("duplicates", duplicates);
        members.put("recovered", recovered);
        members.put("handed_back", handedBack);
        put(members, "", Recovery::byTheClock);
        put(members, "_up", Recovery::whileAnyWasUp);
        members.put("left_in_progress", leftInProgress);
        members.put("conservation_error", conservationError);
        members.put("probe_ms", probe.toMillis());
        members.put("seconds", took.toSeconds());
        members.putAll(more);
        StringBuilder json = new StringBuilder("{");
        members.forEach((name, value) -> json.append(json.length() > 1 ? "," : "")
                .append('"')
                .append(name)
                .append("\":")
                .append(value));
        return json.append('}').toString();
    }

    private void put(Map<String, Object> members, String how, Function<Recovery, Duration> time) {
        List<Duration> times = recoveries.stream().map(time).toList();
        members.put(
                "median_recovery" + how + "_ms",
                RecoveryTimes.percentile(50, times).toMillis());
        members.put(
                "p99_recovery" + how + "_ms",
                RecoveryTimes.percentile(99, times).toMillis());
        members.put(
                "slowest_recovery" + how + "_ms",
                RecoveryTimes.percentile(100, times).toMillis());
    }
}
