package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.admin.Finding;
import java.util.List;
import java.util.Locale;

/** A finding for people. */
@Internal
public record FindingView(String code, String level, String subject, List<String> values, String message) {

    public static FindingView of(Finding finding) {
        return new FindingView(
                finding.code(),
                finding.level().name().toLowerCase(Locale.ROOT),
                finding.subject(),
                finding.values(),
                finding.message());
    }
}
