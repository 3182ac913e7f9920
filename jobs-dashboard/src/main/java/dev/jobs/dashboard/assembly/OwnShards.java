package dev.jobs.dashboard.assembly;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.dashboard.assembly.Assembly.Means;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.server.Installation;
import java.util.List;
import java.util.Set;

/** The installations among which an application divides its jobs, for a dashboard that shows them all. */
@Internal
public interface OwnShards {

    /**
     * Their names, home first; none if there is only one.
     *
     * @param taken names of the other installations
     * @throws JobDefinitionException if another one than home can't have a path of its own
     */
    List<String> names(Set<String> taken);

    /** What home is looked at and acted on with. */
    Means home();

    /**
     * Those besides home, and what shows all of them together.
     *
     * @param home the numbers of home
     * @param own the stream of home, with which the others share the number of viewers
     */
    List<Installation> installations(Assembly assembly, Sampler home, LiveStream own);
}
