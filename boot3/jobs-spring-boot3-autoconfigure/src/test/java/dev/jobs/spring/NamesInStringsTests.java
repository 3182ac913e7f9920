package dev.jobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;

/** A class of Boot that a string names, such as one to be ordered after, is one that Boot 3 has. */
class NamesInStringsTests {

    private static final Path ROOT = Path.of("..");

    private static final Pattern MADE_OF = Pattern.compile("<boot3\\.of>(.+)</boot3\\.of>");
    private static final Pattern NAME = Pattern.compile("\"(org\\.springframework\\.boot\\.[a-z.]+\\.[A-Z][\\w$]*)\"");
    private static final Pattern REPLACEMENT = Pattern.compile("<replacestring from=\"(.+)\" to=\"(.+)\"/>");

    @Test
    void everyOneIsThere() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path pom : files(ROOT.resolve("boot3"), "pom.xml")) {
            Matcher madeOf = MADE_OF.matcher(Files.readString(pom));
            if (madeOf.find()) {
                for (Path source : files(ROOT.resolve(madeOf.group(1)).resolve("src/main"), ".java")) {
                    NAME.matcher(Files.readString(source)).results().forEach(name -> names.add(name.group(1)));
                }
            }
        }
        assertThat(names).hasSizeGreaterThan(1);

        String table = Files.readString(ROOT.resolve("boot3/sources.xml"));
        assertThat(names.stream().map(name -> renamed(name, table)))
                .filteredOn(name -> !ClassUtils.isPresent(name, getClass().getClassLoader()))
                .isEmpty();
    }

    private static String renamed(String name, String table) {
        String renamed = name;
        for (MatchResult each : REPLACEMENT.matcher(table).results().toList()) {
            renamed = renamed.replace(each.group(1), each.group(2));
        }
        return renamed;
    }

    private static Set<Path> files(Path folder, String end) throws IOException {
        Set<Path> found = new TreeSet<>();
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(each -> each.toString().endsWith(end)).forEach(found::add);
            }
        }
        return found;
    }
}
