package dev.jobs.codec;

/** Formats paths inside a value for messages: {@code [3].price}, {@code ["odd name"]}. */
final class JsonPath {

    private static final int MAX_NAME = 60;

    private static final int MAX_PATH = 200;

    private JsonPath() {}

    /** The path for the start or the middle of a sentence: of limited length, without a leading dot. */
    static String shown(String path) {
        String cut = path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH) + "…";
        return cut.startsWith(".") ? cut.substring(1) : cut;
    }

    /** The path after the name of the outer value: empty, or preceded by " at ". */
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

    /** The name in quotes, of limited length, without characters that could break a log line. */
    static String quoted(String name) {
        StringBuilder text = new StringBuilder("\"");
        name.codePoints()
                .limit(MAX_NAME)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '?' : c)
                .forEach(text::appendCodePoint);
        return text.append(name.length() > MAX_NAME ? "…\"" : "\"").toString();
    }
}
