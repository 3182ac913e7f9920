package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.util.List;

/** Checks what payloads say of their results. */
@Internal
public final class ResultRules implements PayloadRule {

    private static final String KEEP_FORM = "a number of seconds from 1 to 2,592,000, beside a '" + KeptResult.REPLY_TO
            + "' of 1 to 64 letters, digits and the character - if there is one,";

    @Override
    public List<String> lua() {
        return List.of("effect_report", "effect_result");
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(KeptResult.isValid(payload), payload, KeptResult.KEEP, KEEP_FORM);
    }
}
