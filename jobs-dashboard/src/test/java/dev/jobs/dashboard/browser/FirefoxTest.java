package dev.jobs.dashboard.browser;

import dev.jobs.proof.Requires;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** Tests in Firefox. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("browser")
@Requires(check = "command -v firefox-esr || command -v firefox", install = "firefox-esr")
@interface FirefoxTest {}
