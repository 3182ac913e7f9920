package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Lets an application have properties of its own below the prefix, from before it had Jobs: one value where Jobs has a
 * group of properties, such as {@code jobs.timeout=30s}, is left alone instead of ending the start. {@link LoneValues}
 * tells of it. A wrong value of a property still ends the start.
 */
@Internal
public final class ForeignKeys implements ConfigurationPropertiesBindHandlerAdvisor {

    private final List<ConfigurationPropertyName> maps;

    /**
     * @param maps those whose entries, too, are left alone, until {@link LoneValues} looks at them. An entry of another map
     *     is meant for Jobs.
     */
    public ForeignKeys(String... maps) {
        this.maps = Stream.of(maps).map(ConfigurationPropertyName::of).toList();
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Handler(handler);
    }

    /** Of one binding. */
    private final class Handler extends AbstractBindHandler {

        private @Nullable PropertyNames names;

        Handler(BindHandler parent) {
            super(parent);
        }

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            if (context.getDepth() == 0 && isOurs(name, target)) {
                Class<?> type = target.getType().toClass();
                names = new PropertyNames();
                names.add(name.toString(), type);
            }
            return super.onStart(name, target, context);
        }

        private boolean isOurs(ConfigurationPropertyName name, Bindable<?> target) {
            ConfigurationPropertyName prefix = ConfigurationPropertyName.of(PropertyNames.PREFIX);
            return (name.equals(prefix) || prefix.isAncestorOf(name))
                    && target.getType().toClass().getName().startsWith(PropertyCheck.OURS);
        }

        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (names != null && error instanceof ConverterNotFoundException) {
                PropertyNames.Branch branch = names.branch(name);
                if (branch != null && (!branch.inMap() || maps.stream().anyMatch(map -> map.isParentOf(name)))) {
                    return null;
                }
            }
            return super.onFailure(name, target, context, error);
        }
    }
}
