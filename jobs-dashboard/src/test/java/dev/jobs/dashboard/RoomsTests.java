package dev.jobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Each package is a room, named like that of the feature in the core, and knows only those before it. */
@AnalyzeClasses(packages = "dev.jobs.dashboard", importOptions = DoNotIncludeTests.class)
class RoomsTests {

    /** What every page needs. */
    private static final List<String> PLUMBING = List.of("", "web", "access", "live", "server", "servlet", "reactive");

    /** What people see and do. */
    private static final List<String> FEATURES = List.of(
            "jobs",
            "trash",
            "limits",
            "limiters",
            "unique",
            "results",
            "retries",
            "deaths",
            "metrics",
            "batches",
            "history",
            "queues",
            "recurring",
            "job",
            "actions",
            "processes",
            "overview",
            "installations");

    /** At last what puts them together. */
    private static final List<String> ORDER = Stream.of(PLUMBING, FEATURES, List.of("assembly"))
            .flatMap(List::stream)
            .toList();

    private static final Set<String> PLUMBING_OF_THE_CORE =
            Set.of("dev.jobs", "dev.jobs.codec", "dev.jobs.admin", "dev.jobs.assembly");

    @ArchTest
    static void everyPackageIsARoom(JavaClasses classes) {
        Set<String> rooms = new TreeSet<>();
        classes.forEach(each -> rooms.add(room(each)));

        assertThat(rooms).containsExactlyInAnyOrderElementsOf(ORDER);
    }

    @ArchTest
    static void aRoomKnowsOnlyThoseBeforeIt(JavaClasses classes) {
        Set<String> upward = new TreeSet<>();
        classes.forEach(from -> known(from)
                .filter(to -> to.getPackageName().startsWith("dev.jobs.dashboard"))
                .filter(to -> ORDER.indexOf(room(to)) > ORDER.indexOf(room(from)))
                .forEach(to -> upward.add(from.getName() + " > " + to.getName())));

        assertThat(upward).isEmpty();
    }

    @ArchTest
    static void thePlumbingKnowsNoFeatureOfTheCore(JavaClasses classes) {
        Set<String> features = new TreeSet<>();
        classes.stream().filter(from -> PLUMBING.contains(room(from))).forEach(from -> known(from)
                .filter(to -> to.getPackageName().startsWith("dev.jobs"))
                .filter(to -> !to.getPackageName().startsWith("dev.jobs.dashboard"))
                .filter(to -> !to.getPackageName().startsWith("dev.jobs.spring.autoconfigure"))
                .filter(to -> !PLUMBING_OF_THE_CORE.contains(to.getPackageName()))
                .forEach(to -> features.add(from.getName() + " > " + to.getName())));

        assertThat(features).isEmpty();
    }

    private static Stream<JavaClass> known(JavaClass from) {
        return from.getDirectDependenciesFromSelf().stream()
                .map(each -> each.getTargetClass().getBaseComponentType());
    }

    private static String room(JavaClass type) {
        String name = type.getPackageName();
        return name.equals("dev.jobs.dashboard") ? "" : name.substring("dev.jobs.dashboard.".length());
    }
}
