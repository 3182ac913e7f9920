package dev.jobs.dashboard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.jobs.dashboard", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule redisOnlyThroughTheAdmin = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.jobs.store..",
                    "dev.jobs.lists..",
                    "dev.jobs.leases..",
                    "io.lettuce..",
                    "org.springframework.data..")
            .because("what a page can do, everybody must be able to do through JobsAdmin");

    @ArchTest
    static final ArchRule securityOnlyWhereItIsExpected = noClasses()
            .that()
            .doNotHaveSimpleName("SecurityContexts")
            .and()
            .doNotHaveSimpleName("CsrfTokens")
            .and()
            .doNotHaveSimpleName("ReactiveSecuredSenders")
            .and()
            .doNotHaveSimpleName("Secured")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.security..")
            .because("most applications that try it have no Spring Security");

    @ArchTest
    static final ArchRule servletsOnlyWhereTheyAreExpected = noClasses()
            .that()
            .resideOutsideOfPackage("dev.jobs.dashboard.servlet")
            .and()
            .haveNameNotMatching(".*\\.(DashboardAccess|DashboardUsers|.*\\$OnServlets)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..")
            .because("a reactive application has none");

    @ArchTest
    static final ArchRule webFluxOnlyWhereItIsExpected = noClasses()
            .that()
            .resideOutsideOfPackage("dev.jobs.dashboard.reactive")
            .and()
            .doNotHaveSimpleName("ReactiveDashboardAccess")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.web.reactive..",
                    "org.springframework.web.server..",
                    "org.springframework.http.server.reactive..",
                    "reactor.netty..")
            .because("a servlet application has none");
}
