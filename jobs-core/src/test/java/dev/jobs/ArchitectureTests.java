package dev.jobs;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
        packagesOf = Job.class,
        importOptions = {DoNotIncludeTests.class, ArchitectureTests.OnlyCore.class})
class ArchitectureTests {

    @ArchTest
    static final ArchRule theDriverIsADetailOfStores = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.jobs",
                    "dev.jobs.codec..",
                    "dev.jobs.client..",
                    "dev.jobs.threads..",
                    "dev.jobs.engine..",
                    "dev.jobs.chores..",
                    "dev.jobs.admin..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "io.netty..", "reactor..")
            .because("who reads how jobs are enqueued and run needs not know how Redis is asked");

    @ArchTest
    static final ArchRule onlyCodecKnowsJackson = noClasses()
            .that()
            .resideOutsideOfPackage("dev.jobs.codec..")
            .and()
            .doNotHaveFullyQualifiedName("dev.jobs.JobJsonCustomizer") // hands it to the application
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("tools.jackson..", "com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..")
            .because("the wire format must not depend on how anybody else configures a mapper");

    @ArchTest
    static final ArchRule noFrameworkInCore = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "jakarta..", "io.micrometer..")
            .because("the engine must run, and be tested, without them");

    @ArchTest
    static final ArchRule noStaticState = fields().that()
            .areStatic()
            .should()
            .beFinal()
            .because("two engines in one JVM must not know of each other");

    @ArchTest
    static final ArchRule noThreadIsStoppedAndNoJvmExited = noClasses()
            .should()
            .callMethod(Thread.class, "stop")
            .orShould()
            .callMethod(System.class, "exit", int.class)
            .because("a library ends no JVM by exit, and no thread by force");

    @ArchTest
    static final ArchRule noCarrierOfVirtualThreadsIsPinnedByAWait = noClasses()
            .should()
            .callMethodWhere(target(name("wait")))
            .because("a monitor holds the carrier of a virtual thread that waits on it, before JDK 24");

    @ArchTest
    static final ArchRule exceptionsHaveOneRoot = classes()
            .that()
            .areAssignableTo(RuntimeException.class)
            .and()
            .arePublic()
            .should()
            .beAssignableTo(JobsException.class)
            .because("users catch one type");

    /** The embedded server and the kinds of tests live in packages below ours, but in other modules. */
    static final class OnlyCore implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/embeddedredis/") && !location.contains("/dev/jobs/proof/");
        }
    }
}
