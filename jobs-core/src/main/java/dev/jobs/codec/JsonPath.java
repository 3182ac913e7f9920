package dev.jobs.codec;

/** Renders places inside a value for messages: {@code [3].price}, {@code ["odd name"]}. */
final class JsonPath {

    private static final int MAX_NAME = 60;

    private static final int MAX_PATH = 200;

    private JsonPath() {}

    /** The path as a sentence starts or goes on with it: bounded, and without a leading dot. */
    static String shown(String path) {
        String cut = path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH) + "…";
        return cut.startsWith(".") ? cut.substring(1) : cut;
    }

    /** The path as it follows the name of what it leads through, empty or after " at ". */
    static String at(String path) {
        return path.isEmpty() ? "" : " at " + shown(path);
    }

    static String index(int index) {
        return "[" + index + "]";
    }

    static String name(String name) {
        if (name.length() <= MAX_NAME && name.codePoints().allMatch(Character::isJavaIdentifierPart)) {
            return "." + name;
        }
        return "[" + quoted(name) + "]";
    }

    /** The name in quotes, cut to a bounded length, with nothing in it that could break a line of log. */
    static String quoted(String name) {
        StringBuilder text = new StringBuilder("\"");
        name.codePoints()
                .limit(MAX_NAME)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '?' : c)
                .forEach(text::appendCodePoint);
        return text.append(name.length() > MAX_NAME ? "…\"" : "\"").toString();
    }
}
