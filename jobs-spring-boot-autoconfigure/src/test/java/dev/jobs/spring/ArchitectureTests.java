package dev.jobs.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.Bean;

@AnalyzeClasses(packagesOf = ArchitectureTests.class, importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule autoConfigurationsArePublicAndFinal = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL);

    @ArchTest
    static final ArchRule autoConfigurationsHaveNoPublicMethods = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule beanMethodsAreForTheContainerOnly =
            methods().that().areAnnotatedWith(Bean.class).should().notBePublic();

    @ArchTest
    static final ArchRule nothingStaticChanges =
            fields().that().areStatic().should().beFinal();

    @ArchTest
    static final ArchRule whatIsOptionalIsKnownOnlyWhereItIsFor = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "..metrics..", "..gauges..", "..observation..", "..context..", "..health..", "..endpoint..")
            .and()
            .haveNameNotMatching("dev\\.jobs\\.spring\\.autoconfigure\\.\\w+\\.\\w+(Meters|Gauges)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.micrometer..", "org.springframework.boot.actuate..", "org.springframework.boot.health..");

    @ArchTest
    static final ArchRule onlyWebKnowsTheWeb = noClasses()
            .that()
            .resideOutsideOfPackage("dev.jobs.spring.web..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.web..", "jakarta.servlet..");

    @ArchTest
    static final ArchRule noLookupHoldsALock = noClasses()
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("org.springframework.util.function.SingletonSupplier")
            .because("LateValue looks up beans without a lock");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("(**)").should().beFreeOfCycles();

    @ArchTest
    static void everyAutoConfigurationIsListed(JavaClasses classes) {
        assertThat(ImportCandidates.load(AutoConfiguration.class, ArchitectureTests.class.getClassLoader()))
                .filteredOn(name -> name.startsWith("dev.jobs.spring."))
                .containsExactlyInAnyOrderElementsOf(classes.stream()
                        .filter(each -> each.isAnnotatedWith(AutoConfiguration.class))
                        .map(JavaClass::getName)
                        .toList());
    }
}
