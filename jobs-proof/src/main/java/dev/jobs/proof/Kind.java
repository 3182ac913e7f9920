package dev.jobs.proof;

import java.util.Collection;
import java.util.Locale;

/** The kinds of tests, in the order of {@link Report}. */
enum Kind {
    /** Needs no Redis. */
    UNIT,
    /** Has a real Redis. */
    REDIS,
    /** Takes two seconds or more. */
    LONG,
    /** Kills, freezes and cuts off processes. */
    FAULT,
    /** Runs under more kinds of web applications than in the everyday command. */
    WEB,
    /** Has a database server, or a pool that doesn't commit by itself. */
    DATABASE,
    /** Shows pages in a browser. */
    BROWSER,
    /** Runs a script of the dashboard, or a tool for it, with Node. */
    NODE,
    /** Runs beside Ruby. */
    RUBY,
    /** Needs a program or a setting of the operating system. */
    SYSTEM;

    /**
     * The last kind whose name is among the tags: a long test in a browser is one in a browser. Without such a tag, the
     * name of the class decides.
     */
    static Kind of(Collection<String> tags, String className) {
        Kind kind = className.endsWith("Tests") ? UNIT : REDIS;
        for (Kind each : values()) {
            if (tags.contains(each.text())) {
                kind = each;
            }
        }
        return kind;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
