package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The everyday build compiles the suite and leaves its trials to the proof, which counts them as what they are. */
class FaultTestTests {

    @Test
    void everyTrialIsMarkedAsOne() throws Exception {
        List<Class<?>> unmarked = new ArrayList<>();
        List<Class<?>> trials = trials();
        for (Class<?> each : trials) {
            if (!each.isAnnotationPresent(FaultTest.class)) {
                unmarked.add(each);
            }
        }
        assertThat(trials).contains(KillStormIT.class).hasSizeGreaterThan(20);
        assertThat(unmarked).isEmpty();
    }

    private static List<Class<?>> trials() throws IOException, URISyntaxException, ClassNotFoundException {
        Path classes = Path.of(FaultTestTests.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> trials = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith("IT.class")).toList()) {
                String name = classes.relativize(file)
                        .toString()
                        .replace(file.getFileSystem().getSeparator(), ".");
                trials.add(Class.forName(name.substring(0, name.length() - ".class".length())));
            }
        }
        return trials;
    }
}
