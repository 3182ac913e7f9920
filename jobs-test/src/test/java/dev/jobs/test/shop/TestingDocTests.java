package dev.jobs.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of docs/testing.md compile. */
class TestingDocTests {

    private static final Path PAGE = Path.of("../docs/testing.md");

    private static final Pattern FENCED = Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** All in one line, so that the compiler's line numbers match those of the snippet. */
    private static final String IMPORTS = "package shown; import static dev.jobs.test.JobsAssertions.assertThat;"
            + " import static org.assertj.core.api.Assertions.assertThat;"
            + " import static org.assertj.core.api.Assertions.assertThatThrownBy;"
            + " import dev.jobs.*; import dev.jobs.test.*; import java.io.*; import java.time.*;"
            + " import org.junit.jupiter.api.Test; import org.springframework.beans.factory.annotation.Autowired;"
            + " import org.springframework.boot.test.context.SpringBootTest;"
            + " import org.springframework.context.annotation.Import;"
            + " import org.springframework.test.context.transaction.TestTransaction;"
            + " import org.springframework.test.web.servlet.assertj.MockMvcTester;"
            + " import org.springframework.transaction.annotation.Transactional;";

    /** The jobs that the page speaks of. */
    private static final String JOBS =
            IMPORTS + " class Emails { @Job void welcome(String to, int visits) {} @Job void newsletter() {} }"
                    + " class Payments { @Job void charge(long order) {} @Job void remind(long order) {} void paid(long order) {} }"
                    + " class Prices { @Job void load(long shop) {} }"
                    + " @interface Testcontainers { boolean disabledWithoutDocker(); } @interface Container {}"
                    + " @interface ServiceConnection { String value(); } @interface AutoConfigureMockMvc {} @interface WebMvcTest {}"
                    + " class GenericContainer<T> { GenericContainer(String image) {}"
                    + " GenericContainer<T> withExposedPorts(int port) { return this; } }";

    private static final String METHOD =
            " class Statements%d { void shown(JobClient client, TestJobs jobs, TestClock clock) throws Exception { ";

    @TempDir
    private Path directory;

    @Test
    void snippetsCompile() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>(List.of(source("Jobs", JOBS)));
        Matcher fenced = FENCED.matcher(Files.readString(PAGE));
        while (fenced.find()) {
            int number = sources.size();
            String text = fenced.group(1);
            String code = text.startsWith("@") ? IMPORTS + text : IMPORTS + METHOD.formatted(number) + text + "}}";
            sources.add(source("Snippet" + number, code));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();

        Boolean compiled = compiler.getTask(
                        null, null, problems, List.of("-proc:none", "-d", directory.toString()), null, sources)
                .call();

        assertThat(compiled).as("%s", problems.getDiagnostics()).isTrue();
        assertThat(sources).hasSizeGreaterThan(5);
    }

    private static JavaFileObject source(String name, String code) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return code;
            }
        };
    }
}
