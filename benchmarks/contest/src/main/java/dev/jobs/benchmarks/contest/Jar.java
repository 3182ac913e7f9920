package dev.jobs.benchmarks.contest;

import java.nio.file.Path;
import java.security.CodeSource;

/** Where a class comes from. */
public final class Jar {

    private Jar() {}

    /** Name and version of the library, as its file says them: {@code name-1.2.3}. */
    public static String of(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return Path.of(source.getLocation().getPath()).getFileName().toString().replaceFirst("\\.jar$", "");
    }
}
