package dev.jobs.slices;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** As in docs/observability.md. */
@Component
class TenantAccessor implements ThreadLocalAccessor<String> {

    private final ThreadLocal<String> tenant = new ThreadLocal<>();

    @Override
    public Object key() {
        return "tenant";
    }

    @Override
    public @Nullable String getValue() {
        return tenant.get();
    }

    @Override
    public void setValue(String value) {
        tenant.set(value);
    }

    @Override
    public void setValue() {
        tenant.remove();
    }
}
