package dev.jobs.dashboard.assembly;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.dashboard.DashboardProperties.FurtherInstallation;
import dev.jobs.dashboard.web.FeaturePages;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /** Where the dashboard's own files and operations are. */
    private static final Pattern TAKEN = Pattern.compile("api|assets|messages|v-[0-9a-f]+");

    private Segments() {}

    /** Whether the pages of an installation can be below a segment of this name. */
    public static boolean isFree(String name) {
        return FurtherInstallation.NAME.matcher(name).matches() && !isTaken(name);
    }

    private static boolean isTaken(String name) {
        return PAGES.contains(name) || TAKEN.matcher(name).matches();
    }

    /** The pages of an installation, with those that no list of the dashboard has. */
    static Set<String> pages(List<FeaturePages> more) {
        return Stream.concat(PAGES.stream(), more.stream().flatMap(each -> each.pages().stream()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @throws IllegalArgumentException if the pages of a further installation can't be below its name
     * @throws JobDefinitionException if those of a division can't, since a feature has a page of that name
     */
    static void check(Set<String> installations, @Nullable Divisions divisions, List<String> names, Set<String> pages) {
        PropertyRules rules = PropertyRules.of("jobs.dashboard");
        installations.forEach(name -> rules.check(
                "installations",
                name,
                !isTaken(name) && !pages.contains(name) && (divisions == null || !name.equals(divisions.view())),
                "must have other names than the dashboard's pages and files"));
        rules.enforce();
        for (String name : names) {
            if (divisions != null && pages.contains(name)) {
                throw divisions.nameOfAPage(name);
            }
        }
    }
}
