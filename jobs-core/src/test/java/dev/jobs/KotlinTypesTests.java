package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.codec.ParameterType;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Kotlin makes of read-only collections. The annotation of its classes must not be on the class path of other
 * tests, since Spring would take them for Kotlin's.
 */
class KotlinTypesTests {

    private static final String METADATA = """
            package kotlin;
            import java.lang.annotation.*;
            @Retention(RetentionPolicy.RUNTIME)
            public @interface Metadata {}
            """;

    private static final String MAILS = """
            import dev.jobs.Job;
            import dev.jobs.deaths.OnDeath;
            import dev.jobs.unique.Unique;
            import java.math.BigDecimal;
            import java.util.*;
            KOTLIN
            public class Mails {
                @Job("render")
                @Unique(key = "{rows}") public void render(
                        Map<String, ? extends Object> model,
                        List<? extends BigDecimal> amounts,
                        List<? extends List<String>> rows,
                        List<? extends List<? extends BigDecimal>>[] arrays,
                        List<String> plain) {}

                @OnDeath("render")
                public void failed(Map<String, ? extends Object> model, List<? extends BigDecimal> amounts) {}
                OTHER
            }
            """;

    @TempDir
    Path classes;

    @Test
    void theVarianceOfReadOnlyCollectionsOfKotlinLeavesNothingOpen() throws Throwable {
        JobDefinition render =
                JobRegistry.of(mails("@kotlin.Metadata", "")).find("render").orElseThrow();

        assertThat(render.parameters())
                .extracting(ParameterType::type)
                .extracting(Type::getTypeName)
                .containsExactly(
                        "java.util.Map<java.lang.String, java.lang.Object>",
                        "java.util.List<java.math.BigDecimal>",
                        "java.util.List<java.util.List<java.lang.String>>",
                        "java.util.List<java.util.List<java.math.BigDecimal>>[]",
                        "java.util.List<java.lang.String>");
        byte[] args = "[{\"a\":1},[\"1.50\"],[[\"x\"]],[[[\"2.5\"]]],[\"y\"]]".getBytes(StandardCharsets.UTF_8);
        Object[] read = render.codec().decode(args, render.parameters());
        assertThat(read[0]).isEqualTo(Map.of("a", 1));
        assertThat(read[1]).isEqualTo(List.of(new BigDecimal("1.50")));
        assertThat(read[2]).isEqualTo(List.of(List.of("x")));
        assertThat((Object[]) read[3]).containsExactly(List.of(List.of(new BigDecimal("2.5"))));
    }

    @Test
    void whatIsOpenInJavaIsRefused() {
        assertThatThrownBy(() -> JobRegistry.of(mails("", "")))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("model")
                .hasMessageContaining("? leaves the type open");
    }

    @Test
    void whatIsOpenInKotlinAsWellIsRefused() {
        assertThatThrownBy(() -> JobRegistry.of(
                        mails("@kotlin.Metadata", "@Job public void sort(Comparator<? super String> order) {}")))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("? super String leaves the type open");
    }

    private Object mails(String kotlin, String other) throws Exception {
        StringWriter printed = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-proc:none", "-parameters", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        List<Source> sources = List.of(
                new Source("kotlin/Metadata", METADATA),
                new Source("Mails", MAILS.replace("KOTLIN", kotlin).replace("OTHER", other)));
        assertThat(compiler.getTask(printed, null, null, options, null, sources).call())
                .as(printed.toString())
                .isTrue();
        URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
        return loader.loadClass("Mails").getConstructor().newInstance();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        Source(String name, String code) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
