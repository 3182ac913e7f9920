package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import java.util.Map;

/** A part of the dashboard that only some applications have. */
@Internal
public interface Feature {

    /** The name under which the pages ask whether it is there. */
    String name();

    /** Its operations by method and address. */
    Map<String, Route> routes();
}
