package dev.jobs.spring.autoconfigure.checks;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.NativeDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * The names that properties below {@code jobs} may have, read from the records that they are bound to. Spring ignores
 * all others, and binds a name in a map that needs brackets to another name, or to nothing.
 */
final class PropertyNames {

    private static final Logger log = LoggerFactory.getLogger(PropertyNames.class);

    static final String PREFIX = "jobs";

    /** Names in a message. */
    private static final int EXAMPLES = 3;

    private static final String NO_SUCH = "there is no such property";

    /**
     * Something that is set and has no effect.
     *
     * @param reason the end of a sentence about it
     * @param certain whether it can't be a property of the application's own
     */
    record Ineffective(String reason, boolean certain) {}

    private sealed interface Node {}

    /** A value, or a list of values. */
    private record Value() implements Node {}

    /** @param children by their letters, as Spring compares them */
    private record Group(Map<String, Child> children) implements Node {

        private Collection<String> names() {
            return children.values().stream().map(Child::name).toList();
        }
    }

    private record Child(String name, Node node) {}

    /**
     * Names that the application chooses.
     *
     * @param word whether a word alone may stand for a group of properties
     */
    private record Chosen(Node value, boolean word) implements Node {}

    /** A part of a name, as it is written. */
    private record Part(String text, boolean bracketed) {

        @Override
        public String toString() {
            return bracketed ? "[" + text + "]" : text;
        }
    }

    private final Group all = new Group(new LinkedHashMap<>());

    /** Those of all modules that take part in this application. */
    static PropertyNames of(ConfigurableListableBeanFactory beans) {
        PropertyNames names = new PropertyNames();
        for (String bean : beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            Class<?> type = beans.getType(bean, false);
            ConfigurationProperties bound = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            if (type != null && bound != null) {
                names.addIfOurs(bound.value(), type);
            }
        }
        return names;
    }

    /**
     * Adds the groups of modules that are on the class path and take no part in this application. Reads every list of
     * auto-configurations, which takes milliseconds. Adds nothing in a native image, which has no class files, and nothing
     * of a module whose classes are not all there.
     */
    void addIdleModules(ClassLoader classes) {
        if (NativeDetector.inNativeImage()) {
            return;
        }
        PropertyNames found = new PropertyNames();
        MetadataReaderFactory readers = new SimpleMetadataReaderFactory(classes);
        for (String each : ImportCandidates.load(AutoConfiguration.class, classes)) {
            if (each.startsWith(PropertyCheck.OURS)) {
                try {
                    for (String bound : bound(each, readers)) {
                        Class<?> type = ClassUtils.forName(bound, classes);
                        ConfigurationProperties prefix = type.getAnnotation(ConfigurationProperties.class);
                        if (prefix != null) {
                            found.addIfOurs(prefix.value(), type);
                        }
                    }
                } catch (IOException | ClassNotFoundException | LinkageError e) {
                    log.debug("The properties of {} are unknown", each, e);
                }
            }
        }
        found.all.children.forEach(all.children::putIfAbsent);
    }

    private static String[] bound(String configuration, MetadataReaderFactory readers) throws IOException {
        MergedAnnotation<EnableConfigurationProperties> found = readers.getMetadataReader(configuration)
                .getAnnotationMetadata()
                .getAnnotations()
                .get(EnableConfigurationProperties.class);
        return found.isPresent() ? found.getStringArray(MergedAnnotation.VALUE) : new String[0];
    }

    private void addIfOurs(String prefix, Class<?> type) {
        if (type.getName().startsWith(PropertyCheck.OURS) && (prefix + ".").startsWith(PREFIX + ".")) {
            add(prefix, type);
        }
    }

    /**
     * Adds the properties of a record.
     *
     * @param prefix of all of them: jobs, or below it
     */
    void add(String prefix, Class<?> type) {
        Group group = all;
        for (String part : prefix.substring(PREFIX.length()).split("\\.")) {
            if (part.isEmpty()) {
                continue;
            }
            Child child = group.children.computeIfAbsent(
                    NearestName.letters(part), none -> new Child(part, new Group(new LinkedHashMap<>())));
            group = (Group) child.node();
        }
        group.children.putAll(group(type).children);
    }

    private static Group group(Class<?> type) {
        Map<String, Child> children = new LinkedHashMap<>();
        Constructor<?> bound = Arrays.stream(type.getDeclaredConstructors())
                .max(Comparator.comparingInt(Constructor::getParameterCount))
                .orElseThrow();
        Annotation[][] annotations = bound.getParameterAnnotations(); // a parameter asked for its own reads all
        for (int i = 0; i < bound.getParameterCount(); i++) {
            String written = bound.getParameters()[i].getName();
            String name = Stream.of(annotations[i])
                    .filter(Name.class::isInstance)
                    .map(each -> ((Name) each).value())
                    .findFirst()
                    .orElseGet(() -> written.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
            children.put(
                    NearestName.letters(name), new Child(name, node(ResolvableType.forConstructorParameter(bound, i))));
        }
        return new Group(children);
    }

    private static Node node(ResolvableType type) {
        Class<?> raw = type.toClass();
        if (Map.class.isAssignableFrom(raw)) {
            ResolvableType value = type.asMap().getGeneric(1);
            return new Chosen(node(value), ClassUtils.hasMethod(value.toClass(), "valueOf", String.class));
        }
        return raw.isRecord() ? group(raw) : new Value();
    }

    /** What is wrong with a name as it is written in a file or on the command line; null if nothing is. */
    @Nullable Ineffective check(String name) {
        return check(parts(name), 1, all, false);
    }

    /** The beginning of a name up to one that the application chose; null if there is none. */
    @Nullable String chosen(String name) {
        List<Part> parts = parts(name);
        Node node = all;
        for (int at = 1; at < parts.size(); at++) {
            if (node instanceof Chosen) {
                return join(parts, 0, at + 1);
            }
            Child child = node instanceof Group group
                    ? group.children.get(NearestName.letters(parts.get(at).text()))
                    : null;
            if (child == null) {
                return null;
            }
            node = child.node();
        }
        return null;
    }

    /**
     * Where there are properties below a name, but no value.
     *
     * @param properties examples of them
     * @param inMap whether the name is one that the application chose
     */
    record Branch(List<String> properties, boolean inMap) {}

    /** What is at a name; null if it may have a value, or is not known. */
    @Nullable Branch branch(ConfigurationPropertyName name) {
        Node node = all;
        boolean inMap = false;
        for (int at = 1; at < name.getNumberOfElements(); at++) {
            if (node instanceof Chosen chosen && !chosen.word() && !inMap) {
                node = chosen.value();
                inMap = true;
                continue;
            }
            Child child = node instanceof Group group && !inMap
                    ? group.children.get(NearestName.letters(name.getElement(at, Form.ORIGINAL)))
                    : null;
            if (child == null) {
                return null;
            }
            node = child.node();
        }
        return name.getNumberOfElements() > 1 && !(node instanceof Value)
                ? new Branch(below(name.toString(), node).limit(EXAMPLES).toList(), inMap)
                : null;
    }

    /** Every name at which there are properties below it and no value, outside maps. */
    Stream<ConfigurationPropertyName> groups() {
        return groups(ConfigurationPropertyName.of(PREFIX), all);
    }

    private static Stream<ConfigurationPropertyName> groups(ConfigurationPropertyName parent, Group group) {
        return group.children.values().stream()
                .filter(each -> !(each.node() instanceof Value))
                .flatMap(each -> {
                    ConfigurationPropertyName name = parent.append(each.name());
                    return each.node() instanceof Group inner
                            ? Stream.concat(Stream.of(name), groups(name, inner))
                            : Stream.of(name);
                });
    }

    /** Whether there are properties at or below a name that is one part below the prefix. */
    boolean knows(String part) {
        return all.children.containsKey(NearestName.letters(part));
    }

    private static Stream<String> below(String name, Node node) {
        if (node instanceof Group group) {
            return group.children.values().stream().flatMap(each -> below(name + "." + each.name(), each.node()));
        }
        return node instanceof Chosen chosen ? below(name + ".NAME", chosen.value()) : Stream.of(name);
    }

    private static List<Part> parts(String name) {
        List<Part> parts = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i <= name.length(); i++) {
            if (i < name.length() && name.charAt(i) == '[' && name.indexOf(']', i) > 0) {
                add(name.substring(begin, i), parts);
                int end = name.indexOf(']', i);
                parts.add(new Part(name.substring(i + 1, end), true));
                i = end;
                begin = end + 1;
            } else if (i == name.length() || name.charAt(i) == '.') {
                add(name.substring(begin, i), parts);
                begin = i + 1;
            }
        }
        return parts;
    }

    private static void add(String text, List<Part> parts) {
        if (!text.isEmpty()) {
            parts.add(new Part(text, false));
        }
    }

    private static @Nullable Ineffective check(List<Part> parts, int at, Node node, boolean ours) {
        if (at >= parts.size()) {
            return null;
        }
        if (node instanceof Chosen chosen) {
            return checkChosen(parts, at, chosen);
        }
        Part part = parts.get(at);
        if (!(node instanceof Group group)) {
            return part.bracketed() ? null : unknown(parts, at, new Group(Map.of()), ours);
        }
        Child child = group.children.get(NearestName.letters(part.text()));
        return child == null ? unknown(parts, at, group, ours) : check(parts, at + 1, child.node(), ours);
    }

    private static @Nullable Ineffective checkChosen(List<Part> parts, int at, Chosen chosen) {
        Part first = parts.get(at);
        if (first.bracketed()) {
            return check(parts, at + 1, chosen.value(), true);
        }
        if (chosen.value() instanceof Value) { // Spring takes all that is left for the name
            String name = join(parts, at, parts.size());
            return name.equals(bound(name)) ? null : bracketed(parts, at, parts.size());
        }
        for (int end = at + 1; end <= parts.size(); end++) {
            boolean complete = end < parts.size() || chosen.word() || end == at + 1;
            Ineffective rest = check(parts, end, chosen.value(), true);
            if (complete && rest == null) {
                Ineffective misspelt =
                        end > at + 1 && end == parts.size() ? check(parts, end - 1, chosen.value(), true) : null;
                if (misspelt != null && misspelt.certain()) {
                    return misspelt; // rather than a word for a name with a dot
                }
                String name = join(parts, at, end);
                return end == at + 1 && name.equals(bound(name)) ? null : bracketed(parts, at, end);
            }
            if (isKnown(parts, end, chosen.value())) {
                return rest;
            }
        }
        return check(parts, at + 1, chosen.value(), true);
    }

    private static boolean isKnown(List<Part> parts, int at, Node node) {
        return at < parts.size()
                && node instanceof Group group
                && group.children.containsKey(NearestName.letters(parts.get(at).text()));
    }

    /** The name in a map that Spring reads. */
    private static String bound(String name) {
        ConfigurationPropertyName adapted = ConfigurationPropertyName.adapt(PREFIX + "." + name, '.');
        List<String> elements = new ArrayList<>();
        for (int i = 1; i < adapted.getNumberOfElements(); i++) {
            elements.add(adapted.getElement(i, Form.ORIGINAL));
        }
        return String.join(".", elements);
    }

    private static Ineffective bracketed(List<Part> parts, int at, int end) {
        String map = join(parts, 0, at);
        String name = "[" + join(parts, at, end) + "]";
        String rest = end == parts.size() ? "" : "." + join(parts, end, parts.size());
        return new Ineffective(
                "a name with such characters needs brackets: " + map + name + rest + ", in YAML \"" + name + "\" below "
                        + map,
                true);
    }

    /** @param ours whether nobody else can have names there */
    private static @Nullable Ineffective unknown(List<Part> parts, int at, Group group, boolean ours) {
        String nearest = NearestName.of(parts.get(at).text(), group.names());
        if (nearest == null && at == 1) {
            return null; // the application's own
        }
        Child meant = nearest == null ? null : group.children.get(NearestName.letters(nearest));
        return new Ineffective(
                NO_SUCH + (meant == null ? "" : question(join(parts, 0, at), meant, at == parts.size() - 1)),
                ours && meant != null);
    }

    /** @param last whether nothing follows the name, so that the name of a group would have no effect either */
    private static String question(String path, Child meant, boolean last) {
        String name = path + "." + meant.name();
        Stream<String> names = last ? below(name, meant.node()).limit(EXAMPLES) : Stream.of(name);
        return "; did you mean " + names.collect(Collectors.joining(" or ")) + "?";
    }

    private static String join(List<Part> parts, int begin, int end) {
        return parts.subList(begin, end).stream()
                .map(Part::toString)
                .collect(Collectors.joining("."))
                .replace(".[", "[");
    }

    /** The same for the name of an environment variable, which has underscores between parts, and no brackets. */
    @Nullable Ineffective checkVariable(String name) {
        return checkVariable(List.of(name.toLowerCase(Locale.ROOT).split("_+")), 1, all, PREFIX, false);
    }

    private static @Nullable Ineffective checkVariable(
            List<String> words, int at, Group group, String path, boolean ours) {
        for (int end = words.size(); end > at; end--) { // of old, a hyphen is an underscore, too
            Child child = group.children.get(String.join("", words.subList(at, end)));
            if (child == null) {
                continue;
            }
            String name = path + "." + child.name();
            if (child.node() instanceof Group inner) {
                return checkVariable(words, end, inner, name, ours);
            }
            return child.node() instanceof Chosen chosen
                    ? checkChosenVariable(words, end, chosen, name, end - at == 1)
                    : null;
        }
        String nearest = NearestName.of(String.join("", words.subList(at, words.size())), group.children.keySet());
        Child meant = nearest == null ? null : group.children.get(nearest);
        return meant == null ? null : new Ineffective(NO_SUCH + question(path, meant, true), ours);
    }

    private static @Nullable Ineffective checkChosenVariable(
            List<String> words, int at, Chosen chosen, String map, boolean together) {
        if (at == words.size() || !(chosen.value() instanceof Group group)) {
            return null;
        }
        if (!together) {
            return new Ineffective(
                    "names are only found below "
                            + map.replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT) + "_",
                    true);
        }
        for (int end = at + 1; end < words.size(); end++) {
            if (isComplete(words, end, group)) {
                return end == at + 1
                        ? null
                        : new Ineffective(
                                "the name of a variable has no place for a name with such characters; set it in a file, as "
                                        + map + "[NAME], or in SPRING_APPLICATION_JSON",
                                true);
            }
        }
        return checkVariable(words, at + 1, group, map + "." + words.get(at), true);
    }

    private static boolean isComplete(List<String> words, int at, Group group) {
        for (int end = words.size(); end > at; end--) {
            Child child = group.children.get(String.join("", words.subList(at, end)));
            if (child != null) {
                return !(child.node() instanceof Group inner) || isComplete(words, end, inner);
            }
        }
        return false;
    }
}
