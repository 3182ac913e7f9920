package dev.jobs.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobRegistry;
import dev.jobs.shards.spring.ShardsContext;
import dev.jobs.shards.spring.ShardsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.redis.JobsRedisClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * The snippets in README and docs work: Java compiles and its jobs are found, YAML names existing properties and is
 * accepted.
 */
class ReadmeTests {

    private static final Path ROOT = Path.of("..");

    private static final Pattern FENCED =
            Pattern.compile("^```(java|yaml|ruby|kotlin)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** The beginning of a line that can't be inside a method. */
    private static final Pattern DECLARATION =
            Pattern.compile("^(@|((public|final|abstract|sealed) )*(class|record|interface|enum) )", Pattern.MULTILINE);

    /** Other types come from here. All in one line, so that the compiler's line numbers match those of the page. */
    private static final String IMPORTS = "package shown;"
            + " import java.nio.file.Path; import java.time.*; import java.util.*; import java.util.stream.*; import java.math.BigDecimal; import javax.crypto.SecretKey; import javax.sql.DataSource;"
            + " import org.springframework.data.domain.ScrollPosition; import org.springframework.data.domain.Window;"
            + " import org.springframework.data.redis.connection.*; import org.springframework.data.redis.connection.lettuce.*;"
            + " import org.slf4j.*; import org.springframework.context.annotation.*; import org.springframework.context.event.EventListener;"
            + " import org.springframework.core.annotation.*; import org.springframework.stereotype.*;"
            + " import io.micrometer.context.ThreadLocalAccessor;"
            + " import java.security.Principal; import org.springframework.http.*;"
            + " import org.springframework.web.bind.annotation.*; import org.springframework.web.server.ResponseStatusException;"
            + " import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;"
            + " import org.springframework.jdbc.core.JdbcTemplate; import org.springframework.jdbc.support.JdbcTransactionManager;"
            + " import org.springframework.transaction.PlatformTransactionManager; import org.springframework.transaction.annotation.Transactional;"
            + " import org.springframework.beans.factory.annotation.Value; import org.springframework.boot.jdbc.DataSourceBuilder;"
            + " import reactor.core.publisher.*;";

    /** A page has to name those of them that its snippets need. */
    private static final List<String> OUR_PACKAGES = List.of(
            "dev.jobs",
            "dev.jobs.admin",
            "dev.jobs.assembly",
            "dev.jobs.batches",
            "dev.jobs.deaths",
            "dev.jobs.encryption",
            "dev.jobs.ends",
            "dev.jobs.engine",
            "dev.jobs.iterations",
            "dev.jobs.limiters",
            "dev.jobs.limits",
            "dev.jobs.metrics",
            "dev.jobs.ordered",
            "dev.jobs.recurring",
            "dev.jobs.redis",
            "dev.jobs.results",
            "dev.jobs.retries",
            "dev.jobs.shards",
            "dev.jobs.shards.spring",
            "dev.jobs.trash",
            "dev.jobs.unique",
            "dev.jobs.versions",
            "dev.jobs.spring",
            "dev.jobs.spring.web");

    private static final Pattern SHARDS =
            Pattern.compile("^jobs\\.(home-shard|shards|cluster-shards|spread-queues|moving-queues)\\b");

    private static final Pattern MODULE = Pattern.compile("\\bdev\\.jobs:(jobs-[a-z0-9-]+)");

    /** What comes from the environment and is no text. */
    private static final Pattern KEY = Pattern.compile("\\$\\{[A-Z_]+_KEY}");

    private static final Pattern QUEUE = Pattern.compile("\\bqueue\"?(?: = |\\(|, | => |: )\"([^\"]+)\"");

    /** The method around statements, with the variables that they can use. */
    private static final String METHOD =
            " class Line%d { void shown(dev.jobs.JobClient jobs, dev.jobs.batches.Batches batches, dev.jobs.assembly.JobsAdmin admin)"
                    + " throws Exception {";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Of all compilations: it reads the directories of a hundred jars. */
    @AutoClose
    private static final StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, UTF_8);

    @TempDir
    private Path directory;

    /** A block of code on a page; {@code line} is the number of its first line. */
    private record Block(Path page, int line, String text) {

        String source() {
            String above = "\n".repeat(line - 1);
            return DECLARATION.matcher(text).find()
                    ? imports() + above + text
                    : imports() + METHOD.formatted(line) + above + text + "}}";
        }

        private String imports() {
            String named = read(page);
            return OUR_PACKAGES.stream()
                    .filter(each -> named.contains("`" + each + "`"))
                    .map(each -> " import " + each + ".*;")
                    .collect(Collectors.joining("", IMPORTS, ""));
        }

        @Override
        public String toString() {
            return ROOT.relativize(page) + ":" + line;
        }
    }

    static List<Path> pages() {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> top = Files.list(ROOT)) {
            return Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .filter(path -> !path.endsWith("dashboard.md")) // tested in the dashboard's module
                    .filter(path -> !path.endsWith("testing.md")) // tested in jobs-test
                    .filter(path -> !path.endsWith("history.md")) // tested in jobs-history-jdbc
                    .filter(path -> !path.endsWith("modulith.md")) // tested in jobs-modulith
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Path> pagesWithJava() {
        return pages().stream().filter(page -> !blocks(page, "java").isEmpty()).toList();
    }

    static List<Block> yaml() {
        return pages().stream().flatMap(page -> blocks(page, "yaml").stream()).toList();
    }

    /** @param language a pattern */
    private static List<Block> blocks(Path page, String language) {
        String text = read(page);
        List<Block> blocks = new ArrayList<>();
        Matcher fenced = FENCED.matcher(text);
        while (fenced.find()) {
            if (fenced.group(1).matches(language)) {
                int line = 1 + (int) text.substring(0, fenced.start(2)).lines().count();
                blocks.add(new Block(page, line, fenced.group(2)));
            }
        }
        return blocks;
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theReadmeIsAmongThePages() {
        Path readme = ROOT.resolve("README.md");

        assertThat(pagesWithJava()).contains(readme);
        assertThat(yaml()).extracting(Block::page).contains(readme);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void modulesThatAPageNamesExist(Path page) {
        assertThat(MODULE.matcher(read(page)).results().map(found -> found.group(1)))
                .allSatisfy(module ->
                        assertThat(ROOT.resolve(module).resolve("pom.xml")).isRegularFile());
    }

    @Test
    void snippetsThatTheReadmeCallsInvalidDoNotCompile() throws IOException {
        Path readme = ROOT.resolve("README.md");
        String wrong = "jobs.enqueue(Emails::welcome, \"bob\", \"five\")";
        List<Block> blocks = new ArrayList<>(blocks(readme, "java"));
        blocks.add(new Block(readme, 10_000, wrong + ";"));

        assertThat(readme).content().contains("`" + wrong + "` doesn't compile");
        assertThat(compile(blocks)).singleElement().asString().startsWith(readme + ":10000 ");
    }

    @ParameterizedTest
    @MethodSource("pagesWithJava")
    void javaCompilesAndItsJobsAreFound(Path page) throws Exception {
        List<Block> blocks = blocks(page, "java");

        assertThat(compile(blocks)).isEmpty();

        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?>[] components = components(loader);
            long written = blocks.stream()
                    .mapToLong(block -> Pattern.compile("^ *@Job\\b", Pattern.MULTILINE)
                            .matcher(block.text())
                            .results()
                            .count())
                    .sum();
            ShardsContext.withoutWorker()
                    .withClassLoader(loader)
                    .withUserConfiguration(components)
                    // A page need not show all dependencies of its components.
                    .withInitializer(context ->
                            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                    .run(context -> assertThat(
                                    context.getBean(JobRegistry.class).definitions())
                            .hasSize((int) written));
        }
    }

    /** A reader who copies a job and the configuration beside it has a worker that runs the job. */
    @ParameterizedTest
    @MethodSource("pagesWithJava")
    void queuesOfSnippetsAreServedOnTheSamePageOrByRuby(Path page) throws IOException {
        String text = read(page);
        Set<String> served = new TreeSet<>(Set.of("default"));
        for (Block block : blocks(page, "yaml")) {
            JobsProperties properties = new Binder(ConfigurationPropertySources.from(sources(block)))
                    .bindOrCreate("jobs", JobsProperties.class);
            Stream.concat(
                            properties.queues().stream(),
                            properties.capsules().values().stream().flatMap(each -> each.queues().stream()))
                    .map(queue -> queue.replaceFirst(",.*", ""))
                    .forEach(served::add);
        }

        assertThat(blocks(page, "java|ruby").stream()
                        .flatMap(block -> QUEUE.matcher(block.text()).results())
                        .map(match -> match.group(1))
                        .filter(queue ->
                                !queue.contains("ruby") && !text.contains("worker that serves `" + queue + "`")))
                .isSubsetOf(served);
    }

    /** The application of docs/configuration.md that has another Redis for jobs, and a template of its own. */
    @Test
    void theFactoryForJobsInTheDocsIsForJobsAlone() throws Exception {
        assertThat(compile(blocks(ROOT.resolve("docs/configuration.md"), "java")))
                .isEmpty();

        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            ShardsContext.withoutWorker()
                    .withClassLoader(loader)
                    .withUserConfiguration(loader.loadClass("shown.RedisForJobs"))
                    .withPropertyValues("spring.data.redis.host=redis.example.com")
                    .run(context -> {
                        assertThat(context.getBean(StringRedisTemplate.class).getConnectionFactory())
                                .isInstanceOfSatisfying(
                                        LettuceConnectionFactory.class,
                                        own -> assertThat(own.getHostName()).isEqualTo("redis.example.com"));
                        assertThat(context.getBean(JobsRedisClient.class)
                                        .server()
                                        .address())
                                .isEqualTo("redis-jobs.example.com:6379, database 0");
                    });
        }
    }

    /** Compiles all blocks of a page together and returns the compiler's messages. */
    private List<String> compile(List<Block> blocks) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Block block : blocks) {
            sources.add(Files.writeString(directory.resolve("Line" + block.line() + ".java"), block.source()));
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-d",
                directory.toString(),
                "-proc:none",
                "-parameters",
                "--release",
                "17",
                "-Xlint:all,-auxiliaryclass");
        COMPILER.getTask(null, files, said, options, null, files.getJavaFileObjectsFromPaths(sources))
                .call();
        // Reading a message can make the compiler continue and add more messages to the same list.
        return List.copyOf(said.getDiagnostics()).stream()
                .map(each -> blocks.get(0).page() + ":" + each.getLineNumber() + " " + each.getMessage(null))
                .toList();
    }

    private Class<?>[] components(ClassLoader loader) throws IOException, ClassNotFoundException {
        List<Class<?>> components = new ArrayList<>();
        try (Stream<Path> compiled = Files.list(directory.resolve("shown"))) {
            for (Path file : compiled.toList()) {
                Class<?> type = loader.loadClass(
                        "shown." + file.getFileName().toString().replace(".class", ""));
                if (AnnotatedElementUtils.hasAnnotation(type, Component.class)) {
                    components.add(type);
                }
            }
        }
        return components.toArray(Class<?>[]::new);
    }

    /** Kotlin compiles it in a build of its own. */
    @Test
    void kotlinIsThatOfTheKotlinSample() throws IOException {
        String sample = Files.readString(ROOT.resolve("sample-kotlin/src/test/kotlin/dev/jobs/kotlin/Emails.kt"));

        assertThat(blocks(ROOT.resolve("docs/kotlin.md"), "kotlin"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(sample).contains(block.text()));
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void yamlNamesPropertiesThatExistAndIsAccepted(Block block) throws Exception {
        List<PropertySource<?>> sources = sources(block);

        Map<String, Map<String, Object>> metadata = ConfigurationDocTests.metadata();
        assertThat(sources.stream()
                        .flatMap(source -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames())))
                .isNotEmpty()
                .allSatisfy(key -> assertKnown(key, metadata));
        assertBound(sources, key -> !SHARDS.matcher(key).find(), JobsProperties.class);
        assertBound(sources, key -> SHARDS.matcher(key).find(), ShardsProperties.class);
        ApplicationContextRunner runner = ShardsContext.withoutStart()
                .withInitializer(context -> sources.forEach(
                        source -> context.getEnvironment().getPropertySources().addFirst(source)));
        if (!block.text().contains("schedules:")) {
            runner.run(context -> assertThat(context).hasNotFailed());
            return;
        }
        assertThat(compile(blocks(block.page(), "java"))).isEmpty(); // it names jobs of the page
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            runner.withClassLoader(loader)
                    .withUserConfiguration(components(loader))
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    /** Two classes have properties that begin with "jobs". */
    private static void assertBound(List<PropertySource<?>> sources, Predicate<String> names, Class<?> type) {
        Map<String, Object> some = new LinkedHashMap<>();
        for (PropertySource<?> source : sources) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                if (names.test(name)) {
                    some.putIfAbsent(name, source.getProperty(name));
                }
            }
        }
        new Binder(ConfigurationPropertySources.from(new MapPropertySource("some", some)))
                .bindOrCreate("jobs", Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    private static List<PropertySource<?>> sources(Block block) throws IOException {
        String text = KEY.matcher(block.text()).replaceAll(Base64.getEncoder().encodeToString(new byte[32]));
        return new YamlPropertySourceLoader().load(block.toString(), new ByteArrayResource(text.getBytes(UTF_8)));
    }

    private static void assertKnown(String key, Map<String, Map<String, Object>> metadata) {
        String name = key.replaceAll("\\[\\d+]", "");
        boolean inMap = metadata.values().stream()
                .anyMatch(each -> String.valueOf(each.get("type")).startsWith("java.util.Map")
                        && name.matches(Pattern.quote(String.valueOf(each.get("name"))) + "[.\\[].*"));
        assertThat(inMap || metadata.containsKey(name))
                .as("there is a property " + name)
                .isTrue();
    }
}
