package dev.jobs.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The keys that the rooms name in their {@code …Keys} are those in docs/redis-keys.md. */
class KeysDocTests {

    /** Those with keys of their own. */
    private static final List<Path> MODULES = List.of(Path.of("../jobs-core"), Path.of("../jobs-shards"));

    private static final Path MAIN = Path.of("src/main/java");
    private static final RedisKeys KEYS = new RedisKeys("p:");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern NAMED = Pattern.compile("\\b(keys|names)(\\(\\))?\\s*\\.key\\(\"");
    private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]+|yymmdd");

    @Test
    void everyDeclaredKeyIsDescribed() throws Exception {
        List<Pattern> rows = rows();
        Map<String, String> names = names();

        assertThat(names).hasSizeGreaterThan(70);
        assertThat(names).allSatisfy((method, name) -> assertThat(rows)
                .as("%s: %s", method, name)
                .anyMatch(row -> row.matcher(name).matches()));
    }

    @Test
    void everyDescribedKeyIsDeclared() throws Exception {
        Map<String, String> names = names();

        assertThat(rows()).allSatisfy(row -> assertThat(names.values())
                .anyMatch(name -> row.matcher(name).matches()));
    }

    @Test
    void keysAreNamedNowhereElse() throws Exception {
        List<String> elsewhere = new ArrayList<>();
        for (Path file : files(name -> name.endsWith(".java") && !name.endsWith("Keys.java"))) {
            if (NAMED.matcher(Files.readString(file)).find()) {
                elsewhere.add(file.toString());
            }
        }

        assertThat(elsewhere).isEmpty();
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
                    boolean either = Arrays.asList(method.getParameterTypes()).contains(boolean.class);
                    for (boolean flag : either ? new boolean[] {true, false} : new boolean[] {true}) {
                        Object[] arguments = arguments(method.getParameterTypes(), flag);
                        byte[] name = (byte[]) method.invoke(ofInstance ? instance(type) : null, arguments);
                        String text = new String(name, UTF_8);
                        assertThat(text).as("%s", method).startsWith("p:");
                        names.put(
                                type.getSimpleName() + "." + method.getName() + Arrays.asList(arguments),
                                text.substring(2));
                    }
                }
            }
        }
        return names;
    }

    private static List<Class<?>> types() throws Exception {
        List<Class<?>> types = new ArrayList<>();
        for (Path file : files(name -> name.endsWith("Keys.java"))) {
            String path = file.toString().replace('\\', '/').replaceFirst(".*/src/main/java/", "");
            Class<?> type = Class.forName(path.replace(".java", "").replace('/', '.'));
            if (type.isRecord()) {
                types.add(type);
            }
        }
        return types;
    }

    private static List<Path> files(Predicate<String> which) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path module : MODULES) {
            try (Stream<Path> files = Files.walk(module.resolve(MAIN))) {
                files.filter(each -> which.test(each.toString())).forEach(found::add);
            }
        }
        return found;
    }

    private static Object instance(Class<?> type) throws Exception {
        if (type == RedisKeys.class) {
            return KEYS;
        }
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments(constructor.getParameterTypes(), true));
    }

    private static Object[] arguments(Class<?>[] types, boolean flag) {
        return Arrays.stream(types).map(type -> argument(type, flag)).toArray();
    }

    private static Object argument(Class<?> type, boolean flag) {
        if (type == RedisKeys.class) {
            return KEYS;
        }
        if (type == boolean.class) {
            return flag;
        }
        if (type == LocalDate.class) {
            return LocalDate.of(2026, 11, 5);
        }
        return type == LocalDateTime.class ? LocalDateTime.of(2026, 11, 5, 7, 9) : "X";
    }
}
