package dev.jobs.dashboard.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Each kind of application serves the dashboard without the libraries of the other, and without Spring Security. */
@LongTest
class AloneIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    /** Serves and reads some of the dashboard, in a JVM of its own. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Alone {

        public static void main(String[] arguments) throws Exception {
            try (ConfigurableApplicationContext context = SpringApplication.run(Alone.class, arguments)) {
                String base =
                        "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/jobs/";
                System.out.println("kind " + context.getClass().getSimpleName());
                for (String path : new String[] {"", "api/session", "api/overview", "assets/app.js"}) {
                    int status = HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create(base + path))
                                            .header(LinkToken.HEADER, RunningDashboard.TOKEN)
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode();
                    System.out.println(path + " " + status);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "servlet|tomcat|webmvc|security, ReactiveWeb",
        "webflux|netty-http|spring-boot-reactor|security, ServletWeb"
    })
    void needsNothingOfTheOther(String without, String kind) throws IOException, InterruptedException {
        Pattern absent = Pattern.compile(without);
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each ->
                        !absent.matcher(Path.of(each).getFileName().toString()).find())
                .collect(Collectors.joining(File.pathSeparator));
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        Alone.class.getName(),
                        "--spring.data.redis.url=" + server.uri(),
                        "--server.port=0",
                        "--jobs.worker.enabled=false",
                        "--jobs.history.enabled=false",
                        "--jobs.dashboard.token=" + RunningDashboard.TOKEN)
                .redirectErrorStream(true)
                .start();
        String said = new String(java.getInputStream().readAllBytes(), UTF_8);

        assertThat(java.waitFor()).as(said).isZero();
        assertThat(said)
                .containsPattern("kind .*" + kind)
                .contains(" 200\napi/session 200\napi/overview 200\nassets/app.js 200");
    }
}
