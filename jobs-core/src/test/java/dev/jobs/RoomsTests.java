package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Each package is a room, and knows only those before it. */
@AnalyzeClasses(
        packagesOf = Job.class,
        importOptions = {DoNotIncludeTests.class, ArchitectureTests.OnlyCore.class})
class RoomsTests {

    /** What every job needs, then one feature each, at last what puts them together. */
    private static final List<String> ORDER = List.of(
            "codec",
            "",
            "redis",
            "threads",
            "store",
            "lists",
            "leases",
            "client",
            "engine",
            "handover",
            "chores",
            "processes",
            "admin",
            "retries",
            "unique",
            "ordered",
            "results",
            "limits",
            "limiters",
            "ends",
            "deaths",
            "encryption",
            "versions",
            "metrics",
            "recurring",
            "transactions",
            "trash",
            "iterations",
            "batches",
            "gauges",
            "assembly");

    @ArchTest
    static void everyPackageIsARoom(JavaClasses classes) {
        Set<String> rooms = new TreeSet<>();
        classes.forEach(each -> rooms.add(room(each)));

        assertThat(rooms).containsExactlyInAnyOrderElementsOf(ORDER);
    }

    @ArchTest
    static void aRoomKnowsOnlyThoseBeforeIt(JavaClasses classes) {
        Map<String, Set<String>> upward = new TreeMap<>();
        classes.forEach(from -> from.getDirectDependenciesFromSelf().forEach(each -> {
            JavaClass to = each.getTargetClass().getBaseComponentType();
            if (!to.isEquivalentTo(Internal.class)
                    && to.getPackageName().startsWith("dev.jobs")
                    && ORDER.indexOf(room(to)) > ORDER.indexOf(room(from))) {
                upward.computeIfAbsent(room(from) + " > " + room(to), none -> new TreeSet<>())
                        .add(file(from) + " > " + file(to));
            }
        }));

        assertThat(upward).isEmpty();
    }

    private static String room(JavaClass type) {
        return type.getPackageName().equals("dev.jobs")
                ? ""
                : type.getPackageName().substring("dev.jobs.".length());
    }

    private static String file(JavaClass type) {
        return type.getEnclosingClass().map(RoomsTests::file).orElse(type.getSimpleName());
    }
}
