package dev.jobs.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Registers for a native image the files of the pages, and all records that may be part of an answer: our own and those of administration.
 */
final class DashboardHints implements RuntimeHintsRegistrar {

    /** The packages below ours whose administration answers with records. */
    private static final List<String> ROOMS = List.of(
            "admin",
            "assembly",
            "batches",
            "iterations",
            "limiters",
            "limits",
            "metrics",
            "ordered",
            "recurring",
            "redis",
            "results",
            "shards",
            "trash",
            "unique",
            "versions");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(Assets.FOLDER + "**");
        registerRecords(hints, classLoader, "dev/jobs/dashboard/");
        ROOMS.forEach(room -> registerRecords(hints, classLoader, "dev/jobs/" + room + "/"));
    }

    private static void registerRecords(RuntimeHints hints, @Nullable ClassLoader classLoader, String folder) {
        BindingReflectionHintsRegistrar records = new BindingReflectionHintsRegistrar();
        try {
            for (Resource file : new PathMatchingResourcePatternResolver(classLoader)
                    .getResources("classpath*:" + folder + "*.class")) {
                String name = ClassUtils.convertResourcePathToClassName(
                        folder + StringUtils.stripFilenameExtension(Objects.requireNonNull(file.getFilename())));
                Class<?> type = ClassUtils.resolveClassName(name, classLoader);
                if (type.isRecord()) {
                    records.registerReflectionHints(hints.reflection(), type);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The classes in " + folder + " can't be listed", e);
        }
    }
}
