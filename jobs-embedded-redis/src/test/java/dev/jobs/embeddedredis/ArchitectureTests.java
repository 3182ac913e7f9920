package dev.jobs.embeddedredis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packagesOf = EmbeddedRedis.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule theLauncherNeedsOnlyTheJdk = noClasses()
            .that()
            .resideInAPackage("dev.jobs.embeddedredis")
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages("dev.jobs.embeddedredis", "java..", "org.jspecify..");
}
