package dev.jobs.dashboard.assembly;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.dashboard.assembly.Assembly.Means;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.server.Installation;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The installations among which an application divides its jobs, for a dashboard that shows them all. */
@Internal
public interface Divisions {

    /** The segment of the path of the view over all of them, and the folder of its scripts and texts. */
    String view();

    /**
     * The pages of that view, each with its script without the ending. The menu has the text {@code nav.VIEW}, and all of
     * them together are called {@code VIEW.all}. The script {@code on-overview} has a component {@code OverAll}, which is
     * on the overview of each of them, and {@code find} a function {@code look}, which finds jobs in all.
     */
    Map<String, String> pages();

    /**
     * Their names, home first; none if there is only one.
     *
     * @param taken names of the other installations
     * @throws JobDefinitionException if another one than home can't have a path of its own
     */
    List<String> names(Set<String> taken);

    /** Says that one of them can't have a path of its own, since a feature has a page of that name. */
    JobDefinitionException nameOfAPage(String name);

    /** What home is looked at and acted on with. */
    Means home();

    /**
     * Those besides home, and the view over all of them.
     *
     * @param home the numbers of home
     * @param own the stream of home, with which the others share the number of viewers
     */
    List<Installation> installations(Assembly assembly, Sampler home, LiveStream own);
}
