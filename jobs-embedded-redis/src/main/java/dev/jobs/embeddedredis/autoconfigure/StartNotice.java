package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import java.net.URL;
import java.security.CodeSource;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * What the log says of a start: a warning if the application is packaged, since it then has this module by mistake and
 * lacks the address of its Redis.
 *
 * <p>It counts as packaged unless this module's jar lies where build tools keep it: tests, the runs of a build and of an
 * IDE have it from there, and applications have it from a directory or jar of their own.
 */
final class StartNotice {

    static final String ENABLED = "jobs.embedded-redis.enabled";

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedRedisAutoConfiguration.class);

    /** A repository of Maven or Gradle, or the output of this module's own build. */
    private static final Pattern OF_A_BUILD_TOOL = Pattern.compile("file:.*("
            + "/dev[/.]jobs/jobs-(spring-boot3-)?embedded-redis/[^/!]+/([^/!]+/)?[^/!]+\\.jar"
            + "|/(target|build/libs)/jobs-(spring-boot3-)?embedded-redis[^/!]*\\.jar"
            + "|/(classes|main|test)/)");

    private static final String OF_THE_TEST_KIT = "dev.jobs.test.JobsTest";

    private StartNotice() {}

    static void log(EmbeddedRedis redis, Environment environment) {
        log(redis, environment, isPackaged(location()));
    }

    static void log(EmbeddedRedis redis, Environment environment, boolean packaged) {
        if (!packaged || environment.containsProperty(ENABLED)) {
            logger.info(
                    "Started an embedded Redis for this application: {}. Its data ends with it; "
                            + "to use a Redis of your own, set spring.data.redis.url",
                    redis);
        } else {
            String module = ClassUtils.isPresent(OF_THE_TEST_KIT, StartNotice.class.getClassLoader())
                    ? "dev.jobs:jobs-test, which brings it,"
                    : "dev.jobs:jobs-embedded-redis";
            logger.warn("{}", warning(redis, module));
        }
    }

    private static String warning(EmbeddedRedis redis, String module) {
        return "This packaged application has no address of a Redis, so it started an embedded one, which is for samples "
                + "and tests: " + redis + ". All jobs are gone when the application ends, and no other process sees "
                + "them. Set spring.data.redis.url, or spring.data.redis.host, and keep " + module
                + " out of production: remove the dependency, or give it the scope 'test' ('testImplementation' in "
                + "Gradle). If this is what you want, set " + ENABLED + "=true";
    }

    /** @param location of this module's classes; null if unknown, as in a native image */
    static boolean isPackaged(@Nullable URL location) {
        return location == null
                || !OF_A_BUILD_TOOL
                        .matcher(location.toString().replace('\\', '/'))
                        .matches();
    }

    private static @Nullable URL location() {
        CodeSource source = StartNotice.class.getProtectionDomain().getCodeSource();
        return source == null ? null : source.getLocation();
    }
}
