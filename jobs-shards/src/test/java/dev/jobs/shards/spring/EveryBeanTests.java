package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** The beans of all modules have names that an application doesn't give to its own. */
class EveryBeanTests {

    private static final List<String> LISTS = List.of(
            "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports",
            "META-INF/spring/dev.jobs.test.AutoConfigureJobs.imports");

    private final SimpleMetadataReaderFactory classes = new SimpleMetadataReaderFactory();

    @Test
    void theNameOfEachBeanBeginsWithJobs() throws IOException {
        List<String> names = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String configuration : configurations()) {
            for (MethodMetadata method : metadata(configuration).getAnnotatedMethods(Bean.class.getName())) {
                String name = name(method);
                names.add(name);
                if (!name.startsWith("jobs")) {
                    others.add(configuration + ": " + name);
                }
            }
        }
        assertThat(others).isEmpty();
        assertThat(names)
                .contains(
                        "jobsClient",
                        "jobsLocaleState",
                        "jobsDashboardMapping",
                        "jobsHistory",
                        "jobsOutbox",
                        "jobsShards",
                        "jobsEmbeddedRedis",
                        "jobsTestJobs");
    }

    /** With those that they import or contain. */
    private Set<String> configurations() throws IOException {
        Set<String> found = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(autoConfigurations());
        while (!open.isEmpty()) {
            String next = open.pop();
            if (next.startsWith("dev.jobs.") && found.add(next)) {
                AnnotationMetadata metadata = metadata(next);
                open.addAll(List.of(metadata.getMemberClassNames()));
                Map<String, Object> imports = metadata.getAnnotationAttributes(Import.class.getName(), true);
                if (imports != null) {
                    open.addAll(List.of((String[]) imports.get("value")));
                }
            }
        }
        return found;
    }

    static List<String> autoConfigurations() throws IOException {
        List<String> found = new ArrayList<>();
        for (String list : LISTS) {
            for (URL each :
                    Collections.list(EveryBeanTests.class.getClassLoader().getResources(list))) {
                try (var in = each.openStream()) {
                    new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    private static String name(MethodMetadata method) {
        Map<String, Object> bean = method.getAnnotationAttributes(Bean.class.getName());
        String[] given = bean == null ? new String[0] : (String[]) bean.get("name");
        return given.length == 0 ? method.getMethodName() : given[0];
    }

    private AnnotationMetadata metadata(String type) throws IOException {
        return classes.getMetadataReader(type).getAnnotationMetadata();
    }
}
