package dev.jobs.dashboard.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Json;
import dev.jobs.dashboard.web.Zip;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The static files of the pages, read once. No other file can be requested, whatever its name. */
@Internal
public final class Assets {

    static final String FOLDER = "dev/jobs/dashboard/ui/";
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", "text/html;charset=UTF-8"),
            Map.entry("js", "text/javascript;charset=UTF-8"),
            Map.entry("mjs", "text/javascript;charset=UTF-8"),
            Map.entry("css", "text/css;charset=UTF-8"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("json", "application/json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("txt", "text/plain;charset=UTF-8"),
            Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff2", "font/woff2"));
    private static final Set<String> COMPACT = Set.of("png", "ico", "woff2");

    /**
     * A file.
     *
     * @param zipped its content in gzip, or null if that saves nothing
     */
    record Asset(String type, byte[] content, byte @Nullable [] zipped, String etag) {

        /** Whether this is a script or a stylesheet, which browsers load for a page and never show as one. */
        boolean isPart() {
            return type.startsWith("text/javascript") || type.startsWith("text/css");
        }
    }

    /** Of all pages, or of a feature in its folder: the pages get all texts of a language together. */
    private static final Pattern TEXTS = Pattern.compile("messages/(?:\\w+/)?(\\w+)\\.json");

    /** In front of the path of a file, what all files together are. */
    private static final Pattern VERSION = Pattern.compile("v-[0-9a-f]{1,64}/");

    private final Map<String, Asset> byPath = new TreeMap<>();
    private final Asset page;
    private final Asset deeperPage;
    private final String version;

    public Assets(ClassLoader classLoader) {
        try {
            PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver(classLoader);
            Map<String, Map<String, String>> texts = new TreeMap<>();
            for (Resource file : resolver.getResources("classpath*:" + FOLDER + "**/*.*")) {
                String url = file.getURL().toString();
                String name = url.substring(url.lastIndexOf(FOLDER) + FOLDER.length());
                Matcher language = TEXTS.matcher(name);
                if (language.matches()) {
                    addTo(texts.computeIfAbsent(language.group(1), none -> new TreeMap<>()), content(file));
                } else if (file.isReadable() && TYPES.containsKey(extension(name))) {
                    byPath.put(name, asset(name, content(file)));
                }
            }
            texts.forEach((language, all) -> {
                String name = "messages/" + language + ".json";
                byPath.put(name, asset(name, Json.bytes(all)));
            });
            Asset index = byPath.remove("index.html");
            if (index == null) {
                throw new IllegalStateException("The dashboard's jar has no page in it");
            }
            StringBuilder all = new StringBuilder();
            byPath.forEach((name, asset) -> all.append(name).append(asset.etag()));
            version = "v-" + digest(all.toString().getBytes(UTF_8)) + "/";
            page = page(index, version);
            deeperPage = page(index, "../" + version);
        } catch (IOException e) {
            throw new UncheckedIOException("The files of the dashboard's pages can't be read from its jar", e);
        }
    }

    private static Asset page(Asset index, String folder) throws IOException {
        String text = new String(index.content(), UTF_8).replace("\"assets/", '"' + folder + "assets/");
        return asset("index.html", text.getBytes(UTF_8));
    }

    /**
     * The one document in which all pages are rendered.
     *
     * @param deeper for an address that is one level below those of the files
     */
    Asset page(boolean deeper) {
        return deeper ? deeperPage : page;
    }

    /**
     * @param path below the folder of the pages, as in {@code assets/app.js}, with or without a version in front of
     *     it: a page that was loaded from another version of the application gets the present file
     */
    @Nullable Asset find(String path) {
        Matcher versioned = VERSION.matcher(path);
        return byPath.get(versioned.lookingAt() ? path.substring(versioned.end()) : path);
    }

    /** Whether a path has the present version: what is found there never changes. */
    boolean isFinal(String path) {
        return path.startsWith(version);
    }

    private static void addTo(Map<String, String> texts, byte[] more) {
        Json.texts(more).forEach((key, text) -> {
            if (texts.put(key, text) != null) {
                throw new IllegalStateException("Two features have the text " + key);
            }
        });
    }

    private static byte[] content(Resource file) throws IOException {
        try (InputStream in = file.getInputStream()) {
            return in.readAllBytes();
        }
    }

    private static Asset asset(String name, byte[] content) {
        String extension = extension(name);
        byte[] zipped = COMPACT.contains(extension) ? null : Zip.small(content);
        return new Asset(
                TYPES.getOrDefault(extension, "application/octet-stream"),
                content,
                zipped != null && zipped.length < content.length ? zipped : null,
                '"' + digest(content) + '"');
    }

    private static String extension(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
