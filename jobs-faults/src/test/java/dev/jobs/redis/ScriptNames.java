package dev.jobs.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The names of the library's scripts on the wire. */
public final class ScriptNames {

    private static final List<Path> SOURCES =
            List.of(Path.of("../jobs-core/src/main/java"), Path.of("../jobs-shards/src/main/java"));

    private ScriptNames() {}

    /** The name of each script, such as {@code claim}, by its digest. */
    public static Map<String, String> byDigest() {
        Map<String, String> names = new HashMap<>();
        SOURCES.forEach(each -> add(each, names));
        return names;
    }

    private static void add(Path sources, Map<String, String> names) {
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                if (Files.readString(file).contains("LuaScript.of(")) {
                    add(sources.relativize(file).toString().replace(".java", "").replace('/', '.'), names);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds those that are constants of a class. */
    private static void add(String type, Map<String, String> names) throws ReflectiveOperationException {
        for (Field field : Class.forName(type).getDeclaredFields()) {
            if (field.getType() == LuaScript.class) {
                field.setAccessible(true);
                LuaScript script = (LuaScript) field.get(null);
                names.put(script.digest(), script.toString());
            }
        }
    }
}
