package dev.jobs.spring.autoconfigure.limits;

import static dev.jobs.spring.autoconfigure.operations.Answer.done;
import static dev.jobs.spring.autoconfigure.operations.Answer.wrong;

import dev.jobs.Internal;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitsAdmin;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Change;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.convert.DurationStyle;

/** Limits in the endpoint. */
@Internal
public final class LimitSection implements Section {

    private final LimitsAdmin limits;

    public LimitSection(LimitsAdmin limits) {
        this.limits = limits;
    }

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        return Answer.found(Map.of(name(), limits.all()));
    }

    @Override
    public Answer one(String name) {
        return limits.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(Answer::found)
                .orElseGet(() -> Answer.notFound("No worker has declared a limit '" + name + "', and none was set"));
    }

    @Override
    public List<String> actions() {
        return List.of("set", "reset");
    }

    @Override
    public Answer change(String name, Change change) {
        return change.action().equals("set") ? set(name, change) : done(limits.reset(name));
    }

    private Answer set(String name, Change change) {
        Integer concurrency = change.concurrency();
        Integer jobs = change.rate();
        String per = change.per();
        Integer burst = change.burst();
        if (concurrency == null && jobs == null || (jobs == null) != (per == null) || burst != null && jobs == null) {
            return wrong(
                    "The action 'set' needs 'concurrency': how many jobs with the same key may run at once; or 'rate' and "
                            + "'per', with 'burst' or without: how many may start in that time; or both");
        }
        LimitRate rate = null;
        if (jobs != null && per != null) {
            try {
                rate = new LimitRate(
                        jobs, DurationStyle.detectAndParse(per, ChronoUnit.SECONDS), burst == null ? jobs : burst);
            } catch (IllegalArgumentException e) {
                return wrong(String.valueOf(e.getMessage()));
            }
        }
        if (rate == null) {
            return done(limits.set(name, Objects.requireNonNull(concurrency)));
        }
        return done(concurrency == null ? limits.set(name, rate) : limits.set(name, concurrency, rate));
    }
}
