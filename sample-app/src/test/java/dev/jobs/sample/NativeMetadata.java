package dev.jobs.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What GraalVM reads: {@code reachability-metadata.json}, in all folders of {@code META-INF/native-image}. */
final class NativeMetadata {

    private final List<JsonNode> types = new ArrayList<>();
    private final List<Pattern> resources = new ArrayList<>();

    NativeMetadata(List<String> files) {
        JsonMapper json = new JsonMapper();
        for (String file : files) {
            JsonNode metadata = json.readTree(file);
            metadata.path("reflection").forEach(types::add);
            metadata.path("resources").forEach(each -> {
                if (each.has("glob")) {
                    resources.add(pattern(each.get("glob").asString()));
                }
            });
        }
    }

    private static Pattern pattern(String glob) {
        return Pattern.compile(("\\Q" + glob + "\\E")
                .replace("**", "\\E.\\Q")
                .replace("*", "\\E[^/]*\\Q")
                .replace("\\E.\\Q", "\\E.*\\Q"));
    }

    boolean covers(ReflectiveCall call) {
        return switch (call.kind()) {
            case RESOURCE ->
                resources.stream().anyMatch(each -> each.matcher(call.member()).matches());
            case TYPE -> entries(call).findAny().isPresent();
            case METHOD -> entries(call).anyMatch(each -> allowsAll(each, call) || names(each, call));
            case LAMBDA -> lambdas(call).anyMatch(each -> call.member().isEmpty() || names(each, call));
            case FIELD -> entries(call).anyMatch(each -> isTrue(each, "allDeclaredFields") || hasField(each, call));
        };
    }

    private Stream<JsonNode> entries(ReflectiveCall call) {
        return types.stream()
                .filter(each -> each.get("type").isString()
                        && each.get("type").asString().equals(call.type()));
    }

    private Stream<JsonNode> lambdas(ReflectiveCall call) {
        return types.stream()
                .filter(each ->
                        each.at("/type/lambda/declaringClass").asString("").equals(call.type())
                                && each.at("/type/lambda/interfaces")
                                        .valueStream()
                                        .allMatch(one -> one.asString().equals(call.detail())));
    }

    private static boolean allowsAll(JsonNode entry, ReflectiveCall call) {
        return call.member().equals("<init>")
                ? isTrue(entry, "allDeclaredConstructors")
                : isTrue(entry, "allDeclaredMethods") || isTrue(entry, "allPublicMethods");
    }

    private static boolean names(JsonNode entry, ReflectiveCall call) {
        String parameters = call.kind() == ReflectiveCall.Kind.LAMBDA ? "" : call.detail();
        return entry.path("methods")
                .valueStream()
                .anyMatch(method -> method.get("name").asString().equals(call.member())
                        && String.join(
                                        ",",
                                        method.path("parameterTypes")
                                                .valueStream()
                                                .map(JsonNode::asString)
                                                .toList())
                                .equals(parameters));
    }

    private static boolean hasField(JsonNode entry, ReflectiveCall call) {
        return entry.path("fields")
                .valueStream()
                .anyMatch(each -> each.get("name").asString().equals(call.member()));
    }

    private static boolean isTrue(JsonNode entry, String attribute) {
        return entry.path(attribute).asBoolean(false);
    }
}
