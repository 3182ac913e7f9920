package dev.jobs.dashboard.installations;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.admin.RedisFindings;
import dev.jobs.client.ClientConfig;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.redis.OtherInstallation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/** The jobs of the installations that the properties name. Their connections end when the application stops. */
@Internal
public final class OtherInstallations implements SmartLifecycle, AutoCloseable {

    /** That of connection factories, which are stopped after their users. */
    private static final int PHASE = 0;

    private final Map<String, OtherInstallation> byName = new LinkedHashMap<>();
    private volatile boolean running;

    public OtherInstallations(
            DashboardProperties properties,
            ConfigurableListableBeanFactory beans,
            JobRegistry registry,
            ClientConfig config,
            EngineEnvironment environment,
            Iterable<RedisFindings> findings) {
        properties
                .installations()
                .forEach((name, each) -> byName.put(
                        name,
                        new OtherInstallation(
                                "jobs.dashboard.installations." + name + ".redis.",
                                each.redis(),
                                beans,
                                registry,
                                config,
                                environment,
                                findings)));
    }

    /** By name, in the order of the properties. */
    public Map<String, OtherInstallation> byName() {
        return byName;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        byName.values().forEach(OtherInstallation::stop);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void close() {
        byName.values().forEach(OtherInstallation::close);
    }
}
