package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import java.util.List;

/** Effects that count in a hash what became of each job, by outcome, in the step in which it became so. */
final class EndCounts {

    /** The hash. */
    static final String KEY = "end-counts";

    private static final List<Effect> EFFECTS =
            List.of("done", "retried", "dead", "discarded", "interrupted", "recovered", "poisoned").stream()
                    .map(outcome -> new Effect("count", KEY.getBytes(UTF_8), outcome, List.of(outcome.getBytes(UTF_8))))
                    .toList();

    /** Counts the end of every job. */
    static final EffectSource SOURCE = stored -> EFFECTS;

    private EndCounts() {}
}
