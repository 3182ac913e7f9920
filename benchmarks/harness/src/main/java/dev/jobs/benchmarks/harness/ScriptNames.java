package dev.jobs.benchmarks.harness;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.redis.LuaScript;
import dev.jobs.store.StoreScripts;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names of the core's scripts by their digests. Each room declares its scripts as constants. */
final class ScriptNames {

    private final Map<String, String> byDigest = new HashMap<>();

    ScriptNames() throws IOException {
        Path classes = classes();
        try (Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(ScriptNames::mayDeclare).toList()) {
                String type =
                        classes.relativize(file).toString().replace('/', '.').replaceFirst("\\.class$", "");
                find(type);
            }
        }
        if (byDigest.isEmpty()) {
            throw new IOException("no scripts in " + classes);
        }
    }

    private static Path classes() throws IOException {
        try {
            return Path.of(StoreScripts.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private static boolean mayDeclare(Path file) {
        try {
            return file.toString().endsWith(".class")
                    && new String(Files.readAllBytes(file), ISO_8859_1).contains("LuaScript;");
        } catch (IOException e) {
            return false;
        }
    }

    private void find(String type) throws IOException {
        try {
            for (Field field : Class.forName(type).getDeclaredFields()) {
                if (field.getType() == LuaScript.class && Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    LuaScript script = (LuaScript) field.get(null);
                    byDigest.put(script.digest(), script.toString());
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IOException(type, e);
        }
    }

    /** The name of the script that a command calls; null if it calls none of these. */
    @Nullable String of(List<String> command) {
        boolean calls = command.size() > 1 && command.get(0).equalsIgnoreCase("EVALSHA");
        return calls ? byDigest.get(command.get(1)) : null;
    }
}
