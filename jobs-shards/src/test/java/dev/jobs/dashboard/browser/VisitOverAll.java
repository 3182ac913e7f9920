package dev.jobs.dashboard.browser;

import java.util.Map;

/** The pages of the view over all shards. */
final class VisitOverAll {

    /** With what shows their data. */
    static final Map<String, String> PAGES = Map.of(
            "",
            "tr.total",
            "queues",
            "tbody tr",
            "busy",
            "tbody tr",
            "scheduled",
            "tbody tr",
            "retries",
            "tbody tr",
            "dead",
            "tbody tr");

    private VisitOverAll() {}
}
