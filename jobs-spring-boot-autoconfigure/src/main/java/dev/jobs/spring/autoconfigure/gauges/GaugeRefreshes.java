package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import java.util.List;

/** Reads the gauges of each installation. */
@Internal
public record GaugeRefreshes(List<GaugeRefresh> all) implements BackgroundLifecycle {

    public GaugeRefreshes {
        all = List.copyOf(all);
    }

    @Override
    public void start() {
        all.forEach(GaugeRefresh::start);
    }

    @Override
    public void stop() {
        GaugeRefresh.stop(all);
    }

    @Override
    public boolean isRunning() {
        return all.get(0).isRunning();
    }

    @Override
    public int getPhase() {
        return all.get(0).getPhase();
    }
}
