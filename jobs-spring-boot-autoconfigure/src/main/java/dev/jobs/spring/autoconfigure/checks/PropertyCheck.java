package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.IneffectivePropertiesException.Ineffective;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Looks for properties that are set and that nobody reads. What can't be anything but a mistake ends the start, since a
 * limit that is not in force shows only under load; what may be a property of the application's own is a warning if it
 * looks like one of ours.
 */
@Internal
public final class PropertyCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(PropertyCheck.class);

    static final String OURS = "dev.jobs.";
    private static final Pattern NAME = Pattern.compile("(?i)" + PropertyNames.PREFIX + "[.\\[].*");
    private static final Pattern VARIABLE = Pattern.compile("(?i)" + PropertyNames.PREFIX + "_.*");
    private static final Pattern WEIGHT = Pattern.compile("\\s*[0-9]+\\s*");

    private final ConfigurableListableBeanFactory beans;
    private final ConfigurableEnvironment environment;
    private final Set<String> capsules;

    /** @param capsules the names of the groups of queues */
    public PropertyCheck(
            ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment, Set<String> capsules) {
        this.beans = beans;
        this.environment = environment;
        this.capsules = capsules;
    }

    /** @throws IneffectivePropertiesException if a property certainly has no effect */
    @Override
    public void afterSingletonsInstantiated() {
        PropertyNames names = PropertyNames.of(beans);
        Map<String, String> inFiles = inFiles(names);
        Map<String, Ineffective> certain = new LinkedHashMap<>();
        Map<String, Ineffective> likely = new LinkedHashMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> all)) {
                continue;
            }
            boolean variables = isOfVariables(source);
            for (String name : all.getPropertyNames()) {
                PropertyNames.Ineffective found = null;
                if (NAME.matcher(name).matches()) {
                    found = names.check(name);
                } else if (variables && VARIABLE.matcher(name).matches()) {
                    found = names.checkVariable(full(name, inFiles));
                }
                if (found != null) {
                    (found.certain() ? certain : likely)
                            .putIfAbsent(name, new Ineffective(name, origin(source, name), found.reason()));
                }
            }
        }
        List<Ineffective> wrong = new ArrayList<>(certain.values());
        wrong.addAll(lostWeights());
        if (!wrong.isEmpty()) {
            throw new IneffectivePropertiesException(wrong);
        }
        if (!likely.isEmpty()) {
            log.warn(
                    "Properties have no effect, unless the application itself reads them: {}",
                    likely.values().stream().map(Ineffective::toString).collect(Collectors.joining(", ")));
        }
    }

    /**
     * Names that the application chose in files or on the command line, each in the two forms that a variable may have:
     * with an underscore for a hyphen, as of old, which is only found for such a name, and without.
     */
    private Map<String, String> inFiles(PropertyNames names) {
        Map<String, String> forms = new LinkedHashMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> all && !isOfVariables(source)) {
                for (String name : all.getPropertyNames()) {
                    String chosen =
                            NAME.matcher(name).matches() && names.check(name) == null ? names.chosen(name) : null;
                    if (chosen != null) {
                        ConfigurationPropertyName bound = ConfigurationPropertyName.adapt(chosen, '.');
                        forms.put(
                                variable(bound, part -> part.replace('-', '_')), variable(bound, NearestName::letters));
                    }
                }
            }
        }
        return forms;
    }

    private static String variable(ConfigurationPropertyName name, UnaryOperator<String> form) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> form.apply(name.getElement(i, Form.ORIGINAL)))
                .collect(Collectors.joining("_"))
                .toUpperCase(Locale.ROOT);
    }

    private static String full(String variable, Map<String, String> inFiles) {
        return inFiles.entrySet().stream()
                .filter(each -> variable.toUpperCase(Locale.ROOT).startsWith(each.getKey() + "_"))
                .max(Comparator.comparingInt(each -> each.getKey().length()))
                .map(each -> each.getValue() + variable.substring(each.getKey().length()))
                .orElse(variable);
    }

    private static boolean isOfVariables(PropertySource<?> source) {
        String name = source.getName();
        return name.equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                || name.endsWith("-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private static @Nullable String origin(PropertySource<?> source, String name) {
        Origin origin = OriginLookup.getOrigin(source, name);
        return origin == null ? "property source \"" + source.getName() + "\"" : origin.toString();
    }

    /** A text is split at its commas: {@code critical,3} becomes two queues. */
    private List<Ineffective> lostWeights() {
        List<Ineffective> lost = new ArrayList<>();
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of(PropertyNames.PREFIX);
        findLostWeights(prefix.append("queues"), lost);
        capsules.forEach(name -> findLostWeights(
                prefix.append("capsules").append("[" + name + "]").append("queues"), lost));
        return lost;
    }

    private static String variable(ConfigurationPropertyName name) {
        return name.toString()
                .toUpperCase(Locale.ROOT)
                .replaceAll("[.\\[]", "_")
                .replaceAll("[^A-Z0-9_]", "");
    }

    private void findLostWeights(ConfigurationPropertyName name, List<Ineffective> lost) {
        Binder.get(environment).bind(name, Bindable.of(String.class)).ifBound(text -> {
            String[] parts = text.split(",", -1);
            if (Arrays.stream(parts).allMatch(WEIGHT.asMatchPredicate())) {
                return; // names of queues
            }
            for (int i = 1; i < parts.length; i++) {
                if (WEIGHT.matcher(parts[i]).matches()) {
                    String queue = parts[i - 1].strip() + "," + parts[i].strip();
                    lost.add(new Ineffective(
                            name.toString(),
                            null,
                            "'" + text + "' is a list with a queue '" + parts[i].strip() + "', not a weight; write "
                                    + name
                                    + "[0]=" + queue + ", as a variable "
                                    + variable(name)
                                    + "_0=" + queue + ", in YAML [\"" + queue + "\"]"));
                    return;
                }
            }
        });
    }
}
