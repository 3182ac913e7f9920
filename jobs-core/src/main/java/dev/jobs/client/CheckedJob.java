package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.store.Check;
import java.util.List;

/**
 * A payload that passed the rules, with members that are needed again: the payload would decode them each time.
 *
 * @param checks those that Redis makes
 */
@Internal
public record CheckedJob(Payload payload, String name, String queue, String jid, List<Check> checks) {

    CheckedJob with(List<Check> others) {
        return new CheckedJob(payload, name, queue, jid, others);
    }

    /** The same as it may be stored, once nobody adds to it. */
    @SuppressWarnings("ReferenceEquality") // the same payload if there is nothing to seal, as usual
    CheckedJob sealed(JobRegistry jobs) {
        Payload sealed = jobs.sealed(payload);
        return sealed == payload ? this : new CheckedJob(sealed, name, queue, jid, checks);
    }

    /** Approximate size on the wire in bytes. */
    int size() {
        return payload.length() + Check.size(checks);
    }
}
