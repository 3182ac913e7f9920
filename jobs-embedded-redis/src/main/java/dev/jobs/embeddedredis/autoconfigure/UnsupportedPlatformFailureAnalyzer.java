package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.UnsupportedPlatformException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains how to use another Redis on a platform without an embedded one. */
final class UnsupportedPlatformFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedPlatformException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedPlatformException cause) {
        return new FailureAnalysis(
                "An embedded Redis was to be started. " + cause.getMessage() + ".",
                "Start a Redis, for example with 'docker run --publish 6379:6379 redis', and point the application at it "
                        + "with the property spring.data.redis.url=redis://localhost:6379; a test with JobsMode.WORKER also needs "
                        + "ownRedis = false. Or run it in WSL or in a container.",
                cause);
    }
}
