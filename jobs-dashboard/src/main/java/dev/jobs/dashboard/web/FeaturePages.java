package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import java.util.List;
import java.util.Map;

/** A feature whose pages no list of the dashboard has. A bean is found, and is in each installation. */
@Internal
public interface FeaturePages {

    /** The folder of its scripts and texts. */
    String name();

    /**
     * The last segments of the addresses of its pages. Each has a script {@code page-NAME.js}. The first is in the menu,
     * with the text {@code nav.NAME}; the others are reached from there.
     */
    List<String> pages();

    /** Its operations by method and address. */
    Map<String, Route> routes(JobsAdmin admin);
}
