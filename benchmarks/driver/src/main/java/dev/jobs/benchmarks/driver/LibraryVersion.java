package dev.jobs.benchmarks.driver;

import java.nio.file.Path;
import java.security.CodeSource;

/** The origin of a class. */
public final class LibraryVersion {

    private LibraryVersion() {}

    /** Name and version of the library, from its file name: {@code name-1.2.3}. */
    public static String of(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return Path.of(source.getLocation().getPath()).getFileName().toString().replaceFirst("\\.jar$", "");
    }
}
