package dev.jobs.dashboard.browser;

import dev.jobs.proof.Requires;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests in Chromium, with what {@link BrowserExtension} provides. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("browser")
@Requires(
        check = "{ command -v chromium || command -v chromium-browser || command -v google-chrome; }"
                + " && command -v chromedriver",
        install = "chromium chromium-driver")
@ExtendWith(BrowserExtension.class)
@interface BrowserTest {}
