package dev.jobs.admin;

import dev.jobs.ArgumentMasking;
import dev.jobs.Payload;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The name of a job for people: Ruby's ActiveJob puts its jobs and mails into envelopes of a single class. */
final class DisplayName {

    private static final Set<String> MAILS = Set.of("ActionMailer::DeliveryJob", "ActionMailer::MailDeliveryJob");

    private static final String CHOSEN = "display_class";

    private DisplayName() {}

    /** Without hidden arguments: the name of an envelope may come from an argument. */
    static @Nullable String of(Payload payload, ArgumentMasking masking) {
        if (payload.text(CHOSEN) != null || !payload.isActiveJob()) {
            return of(payload);
        }
        String name = of(masking.shown(payload));
        return ArgumentMasking.HIDDEN.equals(name) ? payload.jobName() : name;
    }

    static @Nullable String of(Payload payload) {
        String chosen = payload.text(CHOSEN);
        if (chosen != null) {
            return chosen;
        }
        String name = payload.name();
        if (!payload.isActiveJob()) {
            return name;
        }
        List<@Nullable Object> args = payload.args();
        Object content = args.isEmpty() ? null : args.get(0);
        String wrapped = payload.text("wrapped");
        if (wrapped == null) {
            return content instanceof String text ? text : name;
        }
        return MAILS.contains(wrapped) ? mail(content, wrapped) : wrapped;
    }

    private static String mail(@Nullable Object content, String wrapped) {
        if (LenientValues.map(content).get("arguments") instanceof List<?> inner
                && inner.size() >= 2
                && inner.get(0) instanceof String mailer
                && inner.get(1) instanceof String method) {
            return mailer + "#" + method;
        }
        return wrapped;
    }
}
