package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The snippets of the page about the dashboard work. With {@code -Djobs.docs.write=true} its table is rewritten instead
 * of compared.
 */
class DashboardDocTests {

    private static final Path PAGE = Path.of("..", "docs", "dashboard.md");
    private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");
    private static final String BEGIN = "<!-- properties: begin, made by DashboardDocTests -->\n";
    private static final String END = "<!-- properties: end -->\n";
    private static final String IMPORTS = "package shown; import org.springframework.context.annotation.*;"
            + " import org.springframework.data.redis.connection.RedisClusterConfiguration;"
            + " import org.springframework.data.redis.connection.lettuce.*; import java.util.List;"
            + " import org.springframework.stereotype.*; import org.springframework.security.config.Customizer;"
            + " import org.springframework.security.config.annotation.web.builders.HttpSecurity;"
            + " import org.springframework.security.config.web.server.ServerHttpSecurity;"
            + " import org.springframework.security.web.SecurityFilterChain;"
            + " import org.springframework.security.web.server.SecurityWebFilterChain; ";

    @TempDir
    private Path directory;

    static List<String> blocks(String language) throws IOException {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    @Test
    void javaCompiles() throws IOException {
        assertThat(blocks("java")).hasSize(4);
        assertThat(compile(directory)).isEmpty();
    }

    /** Compiles the page's Java into a directory, with the package of ours that the page names. */
    static List<String> compile(Path directory) throws IOException {
        String ours = Files.readString(PAGE).contains("`dev.jobs`") ? "import dev.jobs.*; " : "";
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, UTF_8)) {
            for (String block : blocks("java")) {
                Path source = Files.writeString(directory.resolve("Block.java"), IMPORTS + ours + block);
                compiler.getTask(
                                null,
                                files,
                                said,
                                List.of("-d", directory.toString(), "-proc:none", "-parameters", "--release", "17"),
                                null,
                                files.getJavaFileObjects(source))
                        .call();
            }
        }
        return said.getDiagnostics().stream().map(Object::toString).toList();
    }

    @Test
    void yamlIsAccepted() throws IOException {
        List<DashboardProperties> all = new ArrayList<>();
        for (String block : blocks("yaml")) {
            var sources = new YamlPropertySourceLoader().load("page", new ByteArrayResource(block.getBytes(UTF_8)));
            DashboardProperties bound = new Binder(ConfigurationPropertySources.from(sources))
                    .bindOrCreate(
                            "jobs.dashboard",
                            Bindable.of(DashboardProperties.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
            all.add(bound);
        }
        assertThat(all).hasSize(5);
        assertThat(all.get(0).server()).isEqualTo(DashboardProperties.Server.MANAGEMENT);
        assertThat(all.get(1).operators()).containsExactly("ROLE_ADMIN");
        assertThat(all.get(2).hosts()).containsExactly("jobs.example.org", "10.0.0.7");
        assertThat(all.get(3).system())
                .isEqualTo(new DashboardProperties.SystemName("Shop", "production", DashboardProperties.Colour.RED));
        assertThat(all.get(4).installations()).containsOnlyKeys("eu", "us");
        assertThat(all.get(4).installations().get("eu").system().colour()).isEqualTo(DashboardProperties.Colour.RED);
    }

    @Test
    void theTableHasEveryPropertyWithItsDefault() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(page).containsOnlyOnce(BEGIN).containsOnlyOnce(END);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);

        if (Boolean.getBoolean("jobs.docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end))
                    .as("the table in docs/dashboard.md; CONTRIBUTING.md says how to rewrite it")
                    .isEqualTo(table());
        }
    }

    @Test
    void everyPropertyWithFreeValuesHasExamples() throws IOException {
        JsonNode metadata = JsonMapper.shared().readTree(Files.readString(METADATA));
        List<String> hints = metadata.path("hints")
                .valueStream()
                .map(each -> each.path("name").asString())
                .toList();

        assertThat(metadata.path("properties")
                        .valueStream()
                        .filter(each -> !each.path("type").asString().matches("java.lang.(Boolean|Integer)"))
                        .map(each -> each.path("name").asString()
                                + (each.path("type").asString().startsWith("java.util.Map") ? ".keys" : "")))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(hints);
    }

    private static String table() throws IOException {
        try (InputStream file = Files.newInputStream(METADATA)) {
            JsonNode properties = JsonMapper.builder().build().readTree(file).path("properties");
            return "\n| Property | Default | Meaning |\n|---|---|---|\n"
                    + StreamSupport.stream(properties.spliterator(), false)
                            .map(DashboardDocTests::row)
                            .sorted()
                            .collect(Collectors.joining())
                    + "\n";
        }
    }

    private static String row(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        String shown = value.isArray() ? value.path(0).asString() : value.asString();
        return "| `" + property.path("name").asString() + "` | `" + shown + "` | "
                + property.path("description").asString() + " |\n";
    }
}
