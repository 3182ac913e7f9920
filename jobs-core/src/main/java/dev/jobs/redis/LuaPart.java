package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobRule;
import dev.jobs.JobRules;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lua with one task, which precedes the scripts that need it. A room declares its parts as constants for itself and for
 * later rooms. What the scripts of a room need from later rooms or from other modules, such as the kinds of effects, is
 * listed instead, and found by its name.
 *
 * <p>A feature lists its parts in its {@link JobRule#lua}. For rooms without a rule each module may have a list,
 * {@value #LIST}, where files have their folders. Behind a file are the names of those listed parts that it needs; they
 * precede it.
 */
@Internal
public final class LuaPart {

    private static final String LIST = "dev/jobs/redis/parts.txt";

    /** The words of each line, by the name of its file. */
    private static final SortedMap<String, List<String>> LISTED = listed();

    private final Supplier<String> source;

    /**
     * Null until the first use: a look for a file on the class path asks every module of the JDK, and a process uses few
     * of all files.
     */
    private volatile @Nullable String code;

    /**
     * The part that a function makes.
     *
     * @param source always gives the same; several threads may call it at once
     */
    public LuaPart(Supplier<String> source) {
        this.source = source;
    }

    /** The part in a file of a room. */
    public static LuaPart of(Class<?> room, String name) {
        return new LuaPart(() -> file(folder(room) + name));
    }

    /**
     * The part in a listed file, behind those that it needs.
     *
     * @throws IllegalStateException if no list has it
     */
    public static LuaPart listed(String name) {
        List<String> line = LISTED.get(name);
        if (line == null) {
            throw new IllegalStateException(
                    "Neither a JobRule nor a file " + LIST + " on the class path lists " + name
                            + ". An application in one jar needs the lines of all these files, and of those in META-INF/services.");
        }
        List<LuaPart> needed = line.stream().skip(1).map(LuaPart::listed).toList();
        return new LuaPart(() -> joined(needed) + file(line.get(0)));
    }

    /** How the names of those listed parts go on that begin so. */
    public static SortedSet<String> kinds(String beginning) {
        SortedSet<String> kinds = new TreeSet<>();
        for (String name : LISTED.keySet()) {
            if (name.startsWith(beginning)) {
                kinds.add(name.substring(beginning.length()));
            }
        }
        return Collections.unmodifiableSortedSet(kinds);
    }

    /**
     * Its code, with that of the listed parts that it needs.
     *
     * @throws IllegalStateException if a file is missing
     * @throws UncheckedIOException if a file can't be read
     */
    public String code() {
        String known = code;
        if (known == null) {
            known = source.get();
            code = known;
        }
        return known;
    }

    static String joined(List<LuaPart> parts) {
        return parts.stream().map(LuaPart::code).collect(Collectors.joining());
    }

    private static String file(String path) {
        String file = path + ".lua";
        try (InputStream in = LuaPart.class.getClassLoader().getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The file " + file + " is missing on the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SortedMap<String, List<String>> listed() {
        SortedMap<String, List<String>> listed = new TreeMap<>();
        for (JobRule rule : JobRules.all()) {
            String folder = folder(rule.getClass());
            rule.lua().forEach(line -> add(folder + line, listed));
        }
        try {
            for (URL list : Collections.list(LuaPart.class.getClassLoader().getResources(LIST))) {
                try (InputStream in = list.openStream()) {
                    new String(in.readAllBytes(), UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank())
                            .forEach(line -> add(line.strip(), listed));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Collections.unmodifiableSortedMap(listed);
    }

    private static void add(String line, SortedMap<String, List<String>> listed) {
        List<String> words = List.of(line.split(" +"));
        String path = words.get(0);
        listed.put(path.substring(path.lastIndexOf('/') + 1), words);
    }

    private static String folder(Class<?> room) {
        return room.getPackageName().replace('.', '/') + "/";
    }
}
