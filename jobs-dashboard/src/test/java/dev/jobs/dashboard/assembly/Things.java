package dev.jobs.dashboard.assembly;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.web.FeaturePages;
import dev.jobs.dashboard.web.Route;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A feature that no list has; its script and its texts are among the resources of the tests. */
public final class Things implements FeaturePages {

    /** An application that has it. */
    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    public static class Application {

        @Bean
        FeaturePages things() {
            return new Things();
        }
    }

    @Override
    public String name() {
        return "things";
    }

    @Override
    public List<String> pages() {
        return List.of("things", "thing");
    }

    /** Counts them in the Redis of the installation. */
    @Override
    public Map<String, Route> routes(JobsAdmin admin) {
        return Map.of(
                "GET api/things",
                Route.look(request -> Map.of(
                        "counted",
                        admin.of((connection, keys) ->
                                connection.<Long>run(commands -> commands.scard(keys.key("things")))))));
    }
}
