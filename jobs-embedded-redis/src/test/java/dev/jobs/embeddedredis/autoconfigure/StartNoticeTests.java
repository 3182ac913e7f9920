package dev.jobs.embeddedredis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartNoticeTests {

    /** Tests, {@code spring-boot:run}, {@code bootRun}, IDEs. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:/home/me/.m2/repository/dev/jobs/jobs-embedded-redis/0.1.0/jobs-embedded-redis-0.1.0.jar",
                "file:/cache/maven/dev/jobs/jobs-embedded-redis/0.2.0-SNAPSHOT/jobs-embedded-redis-0.2.0-SNAPSHOT.jar",
                "file:/home/me/.gradle/caches/modules-2/files-2.1/dev.jobs/jobs-embedded-redis/0.1.0/5f3c/jobs-embedded-redis-0.1.0.jar",
                "file:/src/jobs/jobs-embedded-redis/target/jobs-embedded-redis-0.1.0-SNAPSHOT.jar",
                "file:/home/me/.m2/repository/dev/jobs/jobs-spring-boot3-embedded-redis/0.1.0/jobs-spring-boot3-embedded-redis-0.1.0.jar",
                "file:/src/jobs/jobs-embedded-redis/target/classes/",
                "file:/C:/Users/me/.m2/repository/dev/jobs/jobs-embedded-redis/0.1.0/jobs-embedded-redis-0.1.0.jar"
            })
    void whatABuildToolRunsIsNotPackaged(String location) throws Exception {
        assertThat(StartNotice.isPackaged(URI.create(location).toURL())).isFalse();
    }

    /** An extracted jar, layers of an image, Jib, a web archive. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:/app/lib/jobs-embedded-redis-0.1.0.jar",
                "file:/app/BOOT-INF/lib/jobs-embedded-redis-0.1.0.jar",
                "file:/app/libs/jobs-embedded-redis-0.1.0.jar",
                "file:/opt/tomcat/webapps/shop/WEB-INF/lib/jobs-embedded-redis-0.1.0.jar",
                "file:/app/shop-all.jar",
                "jar:file:/app/shop.jar!/BOOT-INF/lib/jobs-embedded-redis-0.1.0.jar!/",
                "jar:file:/src/shop/target/shop.jar!/BOOT-INF/lib/jobs-embedded-redis-0.1.0.jar!/"
            })
    void whatAnApplicationBringsAlongIsPackaged(String location) throws Exception {
        assertThat(StartNotice.isPackaged(URI.create(location).toURL())).isTrue();
    }

    @Test
    void aNativeImageIsPackaged() {
        assertThat(StartNotice.isPackaged((URL) null)).isTrue();
    }
}
