package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.IneffectivePropertiesException.Ineffective;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Lets an application have properties of its own below the prefix, from before it had Jobs: one value where Jobs has a
 * group of properties, such as {@code jobs.timeout=30s}, is left alone with a warning instead of ending the start. A
 * wrong value of a property still does.
 */
@Internal
public final class ForeignKeys implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final Logger log = LoggerFactory.getLogger(ForeignKeys.class);

    private final List<ConfigurationPropertyName> maps;
    private final Queue<Left> left = new ConcurrentLinkedQueue<>();

    /** A value that was left alone in a map. */
    private record Left(ConfigurationPropertyName name, String key, Ineffective finding) {}

    /**
     * @param maps those whose entries, too, are left alone, until {@link #refuse} looks at them again. An entry of another
     *     map is meant for Jobs.
     */
    public ForeignKeys(String... maps) {
        this.maps = Stream.of(maps).map(ConfigurationPropertyName::of).toList();
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Handler(handler);
    }

    /**
     * Looks again at what was left alone in a map, since the names are known by now.
     *
     * @param known names that can only be meant for Jobs
     * @throws IneffectivePropertiesException if one of them has a value, which would not be in force
     */
    public void refuse(String map, Collection<String> known) {
        ConfigurationPropertyName parent = ConfigurationPropertyName.of(map);
        List<String> letters = known.stream().map(NearestName::letters).toList();
        List<Ineffective> wrong = left.stream()
                .filter(each -> parent.isParentOf(each.name()))
                .filter(each -> letters.contains(NearestName.letters(each.key())))
                .map(Left::finding)
                .toList();
        if (!wrong.isEmpty()) {
            throw new IneffectivePropertiesException(wrong);
        }
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
                    leave(name, branch, context);
                    return null;
                }
            }
            return super.onFailure(name, target, context, error);
        }

        private void leave(ConfigurationPropertyName name, PropertyNames.Branch branch, BindContext context) {
            String origin = ConfiguredValue.origin(name, context.getSources());
            String properties = String.join(", ", branch.properties());
            log.warn(
                    "{} ({}) is left alone: where it is, Jobs has no value but properties below it, such as {}. If Jobs is "
                            + "meant, set one of these; if it is the application's own, rename it to something that "
                            + "doesn't begin with '{}.'",
                    name,
                    origin,
                    properties,
                    PropertyNames.PREFIX);
            if (branch.inMap()) {
                left.add(new Left(
                        name,
                        name.getLastElement(Form.ORIGINAL),
                        new Ineffective(
                                name.toString(),
                                origin,
                                "it has no value but properties below it; write one of " + properties)));
            }
        }
    }
}
