package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ends.Cancellations;
import dev.jobs.limits.StartConditions;
import dev.jobs.redis.RedisKeys;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each key that a room names is in docs/redis-keys.md. */
class KeysDocTests {

    private static final Path MAIN = Path.of("src/main/java");
    private static final RedisKeys KEYS = new RedisKeys("p:");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]+|yymmdd");

    @Test
    void everyKeyIsDescribed() throws Exception {
        List<Pattern> rows = rows();
        Map<String, String> names = names();

        assertThat(names).hasSizeGreaterThan(60);
        assertThat(names).allSatisfy((method, name) -> assertThat(rows)
                .as("%s: %s", method, name)
                .anyMatch(row -> row.matcher(name).matches()));
    }

    /** The first column of each row of the tables of keys. */
    private static List<Pattern> rows() throws IOException {
        List<Pattern> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../docs/redis-keys.md"))) {
            if (line.startsWith("| `")) {
                Matcher quoted = QUOTED.matcher(line.split(" \\| ", 2)[0]);
                while (quoted.find()) {
                    rows.add(row(quoted.group(1).replace("\\|", "|")));
                }
            }
        }
        return rows;
    }

    private static Pattern row(String name) {
        StringBuilder pattern = new StringBuilder();
        int from = 0;
        for (Matcher each = PLACEHOLDER.matcher(name); each.find(); from = each.end()) {
            pattern.append(Pattern.quote(name.substring(from, each.start()))).append("[^:]+");
        }
        return Pattern.compile(from == 0 ? Pattern.quote(name) : pattern + Pattern.quote(name.substring(from)));
    }

    /** What all methods return that name a key, without the prefix, by method. */
    private static Map<String, String> names() throws Exception {
        Map<String, String> names = new TreeMap<>();
        for (Class<?> type : types()) {
            for (Method method : type.getDeclaredMethods()) {
                boolean ofInstance = !Modifier.isStatic(method.getModifiers());
                if (method.getReturnType() == byte[].class
                        && !method.isSynthetic()
                        && (ofInstance
                                ? !method.getName().equals("key")
                                : Arrays.asList(method.getParameterTypes()).contains(RedisKeys.class))) {
                    method.setAccessible(true);
                    byte[] name = (byte[])
                            method.invoke(ofInstance ? instance(type) : null, arguments(method.getParameterTypes()));
                    String text = new String(name, UTF_8);
                    assertThat(text).as("%s", method).startsWith("p:");
                    names.put(
                            type.getSimpleName() + "." + method.getName() + Arrays.asList(method.getParameterTypes()),
                            text.substring(2));
                }
            }
        }
        return names;
    }

    private static List<Class<?>> types() throws Exception {
        List<Class<?>> types = new ArrayList<>(List.of(StartConditions.class, Cancellations.class));
        try (Stream<Path> files = Files.walk(MAIN)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith("Keys.java")).toList()) {
                String name = MAIN.relativize(file)
                        .toString()
                        .replace(".java", "")
                        .replace('/', '.')
                        .replace('\\', '.');
                Class<?> type = Class.forName(name);
                if (type.isRecord()) {
                    types.add(type);
                }
            }
        }
        return types;
    }

    private static Object instance(Class<?> type) throws Exception {
        if (type == RedisKeys.class) {
            return KEYS;
        }
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments(constructor.getParameterTypes()));
    }

    private static Object[] arguments(Class<?>[] types) {
        return Arrays.stream(types).map(KeysDocTests::argument).toArray();
    }

    private static Object argument(Class<?> type) {
        if (type == RedisKeys.class) {
            return KEYS;
        }
        if (type == boolean.class) {
            return true;
        }
        if (type == LocalDate.class) {
            return LocalDate.of(2026, 11, 5);
        }
        return type == LocalDateTime.class ? LocalDateTime.of(2026, 11, 5, 7, 9) : "X";
    }
}
