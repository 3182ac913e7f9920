package dev.jobs.spring.autoconfigure.context;

import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether properties name a value that jobs take along. */
final class SomethingCarried implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Binder binder = Binder.get(context.getEnvironment());
        return Boolean.TRUE.equals(
                        binder.bind("jobs.context.locale", Boolean.class).orElse(null))
                || isNamed(binder, "jobs.context.mdc-keys")
                || isNamed(binder, "jobs.context.accessors");
    }

    private static boolean isNamed(Binder binder, String list) {
        List<String> names = binder.bind(list, Bindable.listOf(String.class)).orElse(null);
        return names != null && !names.isEmpty();
    }
}
