package dev.jobs.dashboard.assembly;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties.FurtherInstallation;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.util.Set;
import java.util.regex.Pattern;

/** What follows the path of the dashboard in an address: a page, an installation, or something of the dashboard's own. */
@Internal
public final class Segments {

    /** Those of an installation: every feature has its pages, also where the application doesn't use it. */
    public static final Set<String> PAGES = Set.of(
            "",
            "queues",
            "queue",
            "scheduled",
            "retries",
            "dead",
            "job",
            "busy",
            "failures",
            "metrics",
            "metric",
            "recurring",
            "batches",
            "batch",
            "history",
            "limits",
            "limit",
            "trash");

    /** Where the dashboard's own files and operations are, and the view over all shards. */
    private static final Pattern TAKEN = Pattern.compile("api|assets|messages|shards|v-[0-9a-f]+");

    private Segments() {}

    /** Whether the pages of an installation can be below a segment of this name. */
    public static boolean isFree(String name) {
        return FurtherInstallation.NAME.matcher(name).matches() && !isTaken(name);
    }

    private static boolean isTaken(String name) {
        return PAGES.contains(name) || TAKEN.matcher(name).matches();
    }

    /** @throws IllegalArgumentException if the pages of a further installation can't be below its name */
    static void check(Set<String> installations) {
        PropertyRules rules = PropertyRules.of("jobs.dashboard");
        installations.forEach(name -> rules.check(
                "installations", name, !isTaken(name), "must have other names than the dashboard's pages and files"));
        rules.enforce();
    }
}
