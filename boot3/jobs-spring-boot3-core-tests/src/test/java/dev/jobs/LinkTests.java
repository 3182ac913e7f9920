package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The core is compiled with the libraries of Boot 4, and used with those of Boot 3. */
class LinkTests {

    @Test
    void everyMemberThatTheCoreUsesIsThere() {
        JavaClasses core = new ClassFileImporter()
                .withImportOption(location -> location.contains("jobs-core"))
                .importPackages("dev.jobs");
        Set<AccessTarget> used = core.stream()
                .flatMap(each -> each.getAccessesFromSelf().stream())
                .map(JavaAccess::getTarget)
                .filter(each -> !each.getOwner().getPackageName().startsWith("dev.jobs"))
                .filter(each -> !each.getOwner().isArray())
                .collect(Collectors.toSet());
        assertThat(used).extracting(each -> each.getOwner().getName()).contains("io.lettuce.core.RedisClient");

        assertThat(used).filteredOn(each -> each.resolveMember().isEmpty()).isEmpty();
    }
}
