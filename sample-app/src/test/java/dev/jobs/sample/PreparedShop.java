package dev.jobs.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.springframework.boot.SpringApplicationAotProcessor;

/** The shop after the goal {@code spring-boot:process-aot}, which runs the same processor. */
final class PreparedShop {

    private static final long PATIENCE_SECONDS = 120;

    private final Path resources;
    private final Path classes;

    private PreparedShop(Path resources, Path classes) {
        this.resources = resources;
        this.classes = classes;
    }

    static PreparedShop in(Path directory) throws IOException, InterruptedException {
        Path sources = Files.createDirectory(directory.resolve("sources"));
        Path resources = Files.createDirectory(directory.resolve("resources"));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Path log = directory.resolve("preparation.log");
        List<String> command = ShopProcess.java(System.getProperty("java.class.path"));
        command.addAll(List.of(
                SpringApplicationAotProcessor.class.getName(),
                ShopApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "dev.jobs",
                "sample-app"));
        Process processor = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(processor.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(processor.exitValue()).as(() -> read(log)).isZero();
        } finally {
            processor.destroyForcibly();
        }
        PreparedShop shop = new PreparedShop(resources, classes);
        shop.compile(sources);
        return shop;
    }

    private void compile(Path sources) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-classpath", classPath()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(each -> each.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    /** The class path with what was prepared. */
    String classPath() {
        return classes + File.pathSeparator + resources + File.pathSeparator + System.getProperty("java.class.path");
    }

    /** The metadata for GraalVM. */
    NativeMetadata metadata() throws IOException {
        try (Stream<Path> files = Files.walk(resources)) {
            return new NativeMetadata(files.filter(each -> each.endsWith("reachability-metadata.json"))
                    .map(PreparedShop::read)
                    .toList());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "(" + e + ")";
        }
    }
}
