package dev.jobs.store;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.jobs.redis.LuaScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The scripts of all rooms of this module, and of the core, as their constants declare them. */
public final class Scripts {

    static final Set<Path> MODULES = Stream.of(Path.of(""), Path.of("../jobs-core"))
            .map(each -> each.toAbsolutePath().normalize())
            .collect(toUnmodifiableSet());

    private static final SortedMap<String, Declared> ALL = find();

    private Scripts() {}

    /**
     * A script and the room that declares it.
     *
     * @param room the folder of the room
     */
    record Declared(Path room, LuaScript script) {}

    /** All by name. */
    static SortedMap<String, Declared> all() {
        return ALL;
    }

    /** The names of all scripts. */
    public static Collection<String> names() {
        return ALL.keySet();
    }

    /** The script with a name, such as {@code claim}. */
    public static LuaScript script(String name) {
        return ALL.get(name).script();
    }

    /** The argument that calls a script that the server knows. */
    public static String digest(String name) {
        return script(name).digest();
    }

    /** The argument that calls a script that the server doesn't know. */
    public static String source(String name) {
        return script(name).source();
    }

    private static SortedMap<String, Declared> find() {
        SortedMap<String, Declared> all = new TreeMap<>();
        for (Path module : MODULES) {
            Path sources = module.resolve("src/main/java");
            files(sources, ".java")
                    .filter(Scripts::declares)
                    .map(sources::relativize)
                    .forEach(path -> scripts(path).forEach(each -> {
                        if (all.put(each.script().toString(), each) != null) {
                            throw new AssertionError(each + " is declared twice");
                        }
                    }));
        }
        return all;
    }

    static Stream<Path> files(Path folder, String end) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(each -> each.toString().endsWith(end)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean declares(Path source) {
        try {
            return Files.readString(source).contains("LuaScript.of(");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Declared> scripts(Path path) {
        String type = path.toString().replace(".java", "").replace('/', '.');
        try {
            return Stream.of(Class.forName(type).getDeclaredFields())
                    .filter(field -> field.getType() == LuaScript.class)
                    .map(field -> new Declared(path.getParent(), value(field)))
                    .toList();
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static LuaScript value(Field constant) {
        constant.setAccessible(true);
        try {
            return (LuaScript) constant.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
