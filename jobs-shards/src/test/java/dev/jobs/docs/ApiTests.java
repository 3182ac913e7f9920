package dev.jobs.docs;

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
import dev.jobs.Internal;
import dev.jobs.JobRules;
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
    /** Of one room, but tests of others need them. */
    private static final Set<String> FOR_TESTS = Set.of(
            "dev.jobs.assembly.EngineRun",
            "dev.jobs.assembly.RunParts",
            "dev.jobs.batches.BatchDefinition",
            "dev.jobs.batches.BatchEnds",
            "dev.jobs.engine.JobLog",
            "dev.jobs.handover.OnCallDuty",
            "dev.jobs.handover.OnCallRoster",
            "dev.jobs.limits.JobLimit",
            "dev.jobs.limits.LimitedQueues",
            "dev.jobs.limits.PermitEffects",
            "dev.jobs.limits.QueueLimit",
            "dev.jobs.metrics.DurationBuckets",
            "dev.jobs.spring.autoconfigure.checks.WrongPropertiesException",
            "dev.jobs.spring.autoconfigure.worker.JobEngineLifecycle");

    private static final Path DOC = Path.of("../docs/api.md");
    private static final Pattern ROW = Pattern.compile("\\| `(dev\\.jobs[a-z.]*)` \\| (.*) \\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    @ArchTest
    static void everyListedTypeIsPublic(JavaClasses classes) {
        Set<String> published = names(classes.stream().filter(each -> each.isTopLevelClass() && isPublic(each)));
        assertThat(published).containsAll(documented("Types"));
    }

    @ArchTest
    static void anotherPublicTypeIsInternal(JavaClasses classes) {
        assertThat(names(classes.stream().filter(each -> each.isTopLevelClass() && isPublic(each) && isInternal(each))))
                .isEqualTo(names(classes.stream()
                        .filter(each -> each.isTopLevelClass() && isPublic(each))
                        .filter(each -> !documented("Types").contains(each.getName()))));
    }

    @ArchTest
    static void anInternalTypeIsUsedByAnotherPackage(JavaClasses classes) {
        assertThat(names(classes.stream()
                        .filter(each -> each.isTopLevelClass() && isInternal(each))
                        .filter(each -> !isUsedElsewhere(each, classes) && !isBoundBySpring(each) && !isLoaded(each))))
                .as("let these be package-private")
                .isEqualTo(new TreeSet<>(FOR_TESTS));
    }

    @ArchTest
    static void signaturesMentionOnlyTheApi(JavaClasses classes) {
        Set<String> api = documented("Types");
        Set<String> members = new TreeSet<>();
        classes.stream()
                .filter(each -> api.contains(outermost(each).getName()) && isVisible(each) && !isInternal(each))
                .filter(each -> !each.getName().equals("dev.jobs.JobJsonCustomizer")) // changes Jackson's mapper
                .forEach(each -> each.getMembers().stream()
                        .filter(member -> isVisible(member) && types(member).anyMatch(type -> isForeign(type, api)))
                        .filter(member -> !member.isAnnotatedWith(Internal.class))
                        .forEach(member -> members.add(shown(member))));
        assertThat(members).as("let these be @Internal").isEmpty();
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.getSimpleName().equals("package-info");
    }

    private static boolean isInternal(JavaClass type) {
        return type.isAnnotatedWith(Internal.class);
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

    private static boolean isUsedElsewhere(JavaClass type, JavaClasses classes) {
        return classes.stream()
                .filter(each -> outermost(each).equals(type))
                .flatMap(each -> each.getDirectDependenciesToSelf().stream())
                .anyMatch(each -> !each.getOriginClass().getPackageName().equals(type.getPackageName()));
    }

    private static boolean isBoundBySpring(JavaClass type) {
        return type.isAnnotatedWith(ConfigurationProperties.class);
    }

    /** By a ServiceLoader, which needs public classes. */
    private static boolean isLoaded(JavaClass type) {
        return type.isAssignableTo(JobRules.class);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ApiTests::outermost).orElse(type);
    }

    private static boolean isForeign(JavaClass type, Set<String> api) {
        JavaClass base = type.getBaseComponentType();
        return base.getPackageName().startsWith("dev.jobs")
                        && (!api.contains(outermost(base).getName()) || isInternal(base))
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

    /** The names in the table of a section, with their packages. */
    private static Set<String> documented(String section) {
        Set<String> found = new TreeSet<>();
        String text = read(DOC).split("\n## " + section + "\n", 2)[1].split("\n## ", 2)[0];
        for (String line : text.split("\n")) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                NAME.matcher(row.group(2)).results().forEach(each -> found.add(row.group(1) + "." + each.group(1)));
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
