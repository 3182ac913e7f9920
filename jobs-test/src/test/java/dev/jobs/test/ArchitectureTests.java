package dev.jobs.test;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.jobs.assembly.InlineRunner;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.EngineEnvironment;

@AnalyzeClasses(packages = "dev.jobs.test", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule theEngineIsReachedThroughTwoTypes = classes()
            .that()
            .resideInAPackage("dev.jobs.test..")
            .should()
            .onlyDependOnClassesThat(not(resideInAPackage("dev.jobs.engine.."))
                    .or(belongToAnyOf(InlineRunner.class, EngineEnvironment.class)))
            .because("a test runs jobs as a worker does, and has no engine of its own");

    @ArchTest
    static final ArchRule noClientOfItsOwn = noClasses()
            .should()
            .beAssignableTo(dev.jobs.JobClient.class)
            .because("tests use " + RedisJobClient.class.getSimpleName() + " over another store");

    @ArchTest
    static final ArchRule theAdministrationIsForApplications =
            noClasses().should().dependOnClassesThat().resideInAPackage("dev.jobs.admin..");

    @ArchTest
    static final ArchRule noMocks =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("org.mockito..", "org.awaitility..");

    @ArchTest
    static final ArchRule nothingStaticChanges =
            fields().that().areStatic().should().beFinal();
}
