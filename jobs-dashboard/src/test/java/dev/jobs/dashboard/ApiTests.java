package dev.jobs.dashboard;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Compares docs/api.md with the classes of all published modules, which only this module's tests have together. */
@AnalyzeClasses(
        packages = "dev.jobs",
        importOptions = {DoNotIncludeTests.class, ApiTests.Published.class})
class ApiTests {

    /** Tests use two modules that are not. */
    static final class Published implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/dev/jobs/databases/") && !location.contains("/dev/jobs/proof/");
        }
    }

    private static final Predicate<JavaClass> INTERNAL_LIBRARIES =
            JavaClass.Predicates.resideInAnyPackage("io.lettuce..", "tools.jackson..", "com.fasterxml..");
    private static final Path DOC = Path.of("../docs/api.md");
    private static final Pattern ROW = Pattern.compile("\\| `(dev\\.jobs[a-z.]*)` \\| (.*) \\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    @ArchTest
    static void everyListedTypeIsPublic(JavaClasses classes) {
        Set<String> published = names(classes.stream().filter(each -> each.isTopLevelClass() && isPublic(each)));
        assertThat(published).containsAll(documented("Types"));
    }

    @ArchTest
    static void aPublicTypeIsListedOrUsedByAnotherPackage(JavaClasses classes) {
        Set<String> api = documented("Types");
        assertThat(names(classes.stream()
                        .filter(each -> each.isTopLevelClass() && isPublic(each))
                        .filter(each ->
                                !api.contains(each.getName()) && !isUsedElsewhere(each) && !isBoundBySpring(each))))
                .as("let these be package-private, or list them in docs/api.md")
                .isEmpty();
    }

    @ArchTest
    static void packagesOfTheApiSayWhichTypesAreInternal(JavaClasses classes) {
        Set<String> api = documented("Types");
        Set<String> packages = api.stream()
                .map(each -> each.substring(0, each.lastIndexOf('.')))
                .collect(toCollection(TreeSet::new));
        assertThat(names(classes.stream()
                        .filter(each -> each.isTopLevelClass() && isPublic(each))
                        .filter(each -> packages.contains(each.getPackageName()) && !api.contains(each.getName()))))
                .isEqualTo(documented("Internal types beside them"));
    }

    @ArchTest
    static void signaturesMentionOnlyTheApi(JavaClasses classes) {
        Set<String> api = documented("Types");
        Set<String> members = new TreeSet<>();
        classes.stream()
                .filter(each -> api.contains(outermost(each).getName()) && isVisible(each))
                .forEach(each -> each.getMembers().stream()
                        .filter(member -> isVisible(member) && types(member).anyMatch(type -> isForeign(type, api)))
                        .forEach(member -> members.add(shown(member))));
        assertThat(members).isEqualTo(documented("Members for the library alone"));
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.getSimpleName().equals("package-info");
    }

    private static boolean isVisible(JavaClass type) {
        return isPublic(type)
                && type.getEnclosingClass().map(ApiTests::isVisible).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    private static boolean isUsedElsewhere(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream()
                .anyMatch(each -> !each.getOriginClass().getPackageName().equals(type.getPackageName()));
    }

    private static boolean isBoundBySpring(JavaClass type) {
        return type.isAnnotatedWith(ConfigurationProperties.class);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ApiTests::outermost).orElse(type);
    }

    private static boolean isForeign(JavaClass type, Set<String> api) {
        JavaClass base = type.getBaseComponentType();
        return base.getPackageName().startsWith("dev.jobs")
                        && !api.contains(outermost(base).getName())
                || INTERNAL_LIBRARIES.test(base);
    }

    private static Stream<JavaClass> types(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getType().getAllInvolvedRawTypes().stream();
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        return Stream.of(unit.getParameterTypes(), List.of(unit.getReturnType()))
                .flatMap(Collection::stream)
                .map(JavaType::getAllInvolvedRawTypes)
                .flatMap(Collection::stream);
    }

    private static String shown(JavaMember member) {
        String owner = outermost(member.getOwner()).getSimpleName();
        return member.getName().equals("<init>") ? "new " + owner : owner + "." + member.getName();
    }

    private static Set<String> names(Stream<JavaClass> types) {
        return types.map(JavaClass::getName).collect(toCollection(TreeSet::new));
    }

    /** The names in a section: of types with their package if it is a table, else as they stand there. */
    private static Set<String> documented(String section) {
        Set<String> found = new TreeSet<>();
        String text = read(DOC).split("\n## " + section + "\n", 2)[1].split("\n## ", 2)[0];
        for (String line : text.split("\n")) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                NAME.matcher(row.group(2)).results().forEach(each -> found.add(row.group(1) + "." + each.group(1)));
            } else if (line.startsWith("| `")) {
                NAME.matcher(line.split("\\|")[1]).results().forEach(each -> found.add(each.group(1)));
            }
        }
        return found;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
