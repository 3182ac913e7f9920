package dev.jobs.dashboard;

import dev.jobs.proof.Proof;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;

/** The kinds of web applications that serve the dashboard. */
public enum Kind implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    SERVLET(WebApplicationType.SERVLET, "none"),
    REACTIVE(
            WebApplicationType.REACTIVE,
            "org.springframework.boot.tomcat.autoconfigure.reactive.TomcatReactiveWebServerAutoConfiguration,"
                    + "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration"),
    /** WebFlux on a servlet container. */
    REACTIVE_ON_TOMCAT(
            WebApplicationType.REACTIVE,
            "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration,"
                    + "org.springframework.boot.reactor.netty.autoconfigure.actuate.web.server.NettyReactiveManagementContextAutoConfiguration");

    private final WebApplicationType type;
    private final String otherServer;

    Kind(WebApplicationType type, String otherServer) {
        this.type = type;
        this.otherServer = otherServer;
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

    /** Keeps the server away that another kind uses. */
    String property() {
        return this == SERVLET
                ? "spring.main.web-application-type=servlet"
                : "spring.autoconfigure.exclude=" + otherServer;
    }

    /** The property of the path that all of an application's addresses begin with. */
    public String basePath() {
        return this == SERVLET ? "server.servlet.context-path" : "spring.webflux.base-path";
    }

    /** Gives each server resources of its own: the first one that stops would end those of all others. */
    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (this == REACTIVE && context instanceof GenericApplicationContext ours) {
            ours.registerBean(ReactorResourceFactory.class, () -> {
                ReactorResourceFactory own = new ReactorResourceFactory();
                own.setUseGlobalResources(false);
                own.setShutdownQuietPeriod(Duration.ZERO); // or each stop takes two seconds
                return own;
            });
        }
    }
}
