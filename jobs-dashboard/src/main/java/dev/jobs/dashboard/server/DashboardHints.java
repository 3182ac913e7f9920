package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.ClassMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * Registers for a native image the files of the pages, and all records that may be part of an answer: our own and those of administration.
 */
@Internal
public final class DashboardHints implements RuntimeHintsRegistrar {

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
            "trash",
            "unique",
            "versions");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(Assets.FOLDER + "**");
        hints.reflection()
                .registerTypeIfPresent(classLoader, DashboardProperties.MANAGEMENT_PORT); // looked for by name
        registerRecords(hints, classLoader, "dev/jobs/dashboard/**/");
        ROOMS.forEach(room -> registerRecords(hints, classLoader, "dev/jobs/" + room + "/"));
    }

    /** Registers the records of a folder of the class path, for other modules with pages. */
    public static void registerRecords(RuntimeHints hints, @Nullable ClassLoader classLoader, String folder) {
        BindingReflectionHintsRegistrar records = new BindingReflectionHintsRegistrar();
        try {
            for (Resource file : new PathMatchingResourcePatternResolver(classLoader)
                    .getResources("classpath*:" + folder + "*.class")) {
                ClassMetadata type = new SimpleMetadataReaderFactory(classLoader)
                        .getMetadataReader(file)
                        .getClassMetadata();
                if (Record.class.getName().equals(type.getSuperClassName()) && isUsable(type, classLoader)) {
                    records.registerReflectionHints(
                            hints.reflection(), ClassUtils.resolveClassName(type.getClassName(), classLoader));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The classes in " + folder + " can't be listed", e);
        }
    }

    /** A record of the web stack that the application doesn't use can't be loaded, and is part of no answer. */
    private static boolean isUsable(ClassMetadata type, @Nullable ClassLoader classLoader) {
        return ClassUtils.isPresent(type.getClassName(), classLoader);
    }
}
