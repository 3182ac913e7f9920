package dev.jobs.spring.autoconfigure.context;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;

/** The locale that the request set; a thread without one has none, rather than that of the machine. */
record LocaleValue() implements CarriedValue {

    @Override
    public Path path() {
        return new Path("", "locale");
    }

    @Override
    public @Nullable String read() {
        LocaleContext context = LocaleContextHolder.getLocaleContext();
        Locale locale = context == null ? null : context.getLocale();
        return locale == null ? null : locale.toLanguageTag();
    }

    @Override
    public Runnable restore(String value) {
        Locale locale = Locale.forLanguageTag(value);
        if (locale.getLanguage().isEmpty()) {
            return () -> {}; // any program may have written the job, and this is no language
        }
        LocaleContext before = LocaleContextHolder.getLocaleContext();
        LocaleContextHolder.setLocale(locale);
        return () -> LocaleContextHolder.setLocaleContext(before);
    }
}
