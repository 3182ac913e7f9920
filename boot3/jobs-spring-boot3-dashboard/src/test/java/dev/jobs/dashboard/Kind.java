package dev.jobs.dashboard;

import dev.jobs.proof.Proof;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.util.ClassUtils;

/** The kinds of web applications that serve the dashboard. */
public enum Kind implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    SERVLET(WebApplicationType.SERVLET),
    REACTIVE(WebApplicationType.REACTIVE),
    /** WebFlux on a servlet container. */
    REACTIVE_ON_TOMCAT(WebApplicationType.REACTIVE);

    private final WebApplicationType type;

    Kind(WebApplicationType type) {
        this.type = type;
    }

    /** In the proof all, otherwise a servlet application and a reactive one. */
    public static Stream<Kind> all() {
        return Proof.isRunning() ? Stream.of(values()) : each();
    }

    /** A servlet application and a reactive one. */
    public static Stream<Kind> each() {
        return Stream.of(SERVLET, REACTIVE);
    }

    /** For what an application answers, however a request comes to it: in the proof each kind, otherwise one. */
    public static Stream<Kind> forAnswers() {
        return Proof.isRunning() ? each() : Stream.of(SERVLET);
    }

    WebApplicationType type() {
        return type;
    }

    String property() {
        return this == SERVLET
                ? "spring.main.web-application-type=servlet"
                : "spring.main.web-application-type=reactive";
    }

    /** The property of the path that all of an application's addresses begin with. */
    public String basePath() {
        return this == SERVLET ? "server.servlet.context-path" : "spring.webflux.base-path";
    }

    /**
     * Chooses the server, which no auto-configuration of Boot 3 can be excluded for, and gives it resources of its own:
     * the first one that stops would end those of all others.
     */
    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (this == REACTIVE && context instanceof GenericApplicationContext ours) {
            ours.registerBean(ClassUtils.resolveClassName(
                    "org.springframework.boot.autoconfigure.web.reactive.ReactiveWebServerFactoryConfiguration$EmbeddedNetty",
                    getClass().getClassLoader()));
            ours.registerBean(ReactorResourceFactory.class, () -> {
                ReactorResourceFactory own = new ReactorResourceFactory();
                own.setUseGlobalResources(false);
                own.setShutdownQuietPeriod(Duration.ZERO); // or each stop takes two seconds
                return own;
            });
        }
    }
}
