package dev.jobs;

import static java.util.Map.entry;
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
            "store",
            "client",
            "engine",
            "handover",
            "admin",
            "unique",
            "ordered",
            "results",
            "limits",
            "limiters",
            "ends",
            "versions",
            "metrics",
            "recurring",
            "transactions",
            "trash",
            "iterations",
            "batches",
            "gauges",
            "assembly");

    /** What is left to cut: how many classes of other rooms the classes of a room know against the order. */
    private static final Map<String, Integer> LEFT = Map.ofEntries(
            entry("ends > iterations", 1),
            entry("engine > assembly", 1),
            entry("engine > ends", 1),
            entry("engine > handover", 8),
            entry("engine > limits", 16),
            entry("engine > versions", 1),
            entry("handover > limits", 5),
            entry("store > limits", 10));

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
        Map<String, Integer> counts = new TreeMap<>();
        upward.forEach((rooms, arrows) -> counts.put(rooms, arrows.size()));

        assertThat(counts).as("%s", upward).isEqualTo(new TreeMap<>(LEFT));
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
