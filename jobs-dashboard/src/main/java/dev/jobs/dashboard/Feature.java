package dev.jobs.dashboard;

import java.util.Map;

/** A part of the dashboard that only some applications have. */
interface Feature {

    /** The name under which the pages ask whether it is there. */
    String name();

    /** Its operations by method and address. */
    Map<String, Route> routes();
}
