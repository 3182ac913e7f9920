package dev.jobs.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The static files of the pages, read once. No other file can be requested, whatever its name. */
final class Assets {

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
    record Asset(String type, byte[] content, byte @Nullable [] zipped, String etag) {}

    private final Map<String, Asset> byPath = new HashMap<>();
    private final Asset page;

    Assets(ClassLoader classLoader) {
        try {
            PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver(classLoader);
            for (Resource file : resolver.getResources("classpath:" + FOLDER + "**/*.*")) {
                String url = file.getURL().toString();
                String name = url.substring(url.lastIndexOf(FOLDER) + FOLDER.length());
                if (file.isReadable() && TYPES.containsKey(extension(name))) {
                    byPath.put(name, read(name, file));
                }
            }
            Asset index = byPath.remove("index.html");
            if (index == null) {
                throw new IllegalStateException("The dashboard's jar has no page in it");
            }
            page = index;
        } catch (IOException e) {
            throw new UncheckedIOException("The files of the dashboard's pages can't be read from its jar", e);
        }
    }

    /** The one document in which all pages are rendered. */
    Asset page() {
        return page;
    }

    /** @param path below the folder of the pages, as in {@code js/app.js} */
    @Nullable Asset find(String path) {
        return byPath.get(path);
    }

    private static Asset read(String name, Resource file) throws IOException {
        byte[] content;
        try (InputStream in = file.getInputStream()) {
            content = in.readAllBytes();
        }
        String extension = extension(name);
        byte[] zipped = COMPACT.contains(extension) ? null : zip(content);
        return new Asset(
                TYPES.getOrDefault(extension, "application/octet-stream"),
                content,
                zipped != null && zipped.length < content.length ? zipped : null,
                '"' + digest(content) + '"');
    }

    private static String extension(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static byte[] zip(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out) {
            {
                def.setLevel(Deflater.BEST_COMPRESSION);
            }
        }) {
            gzip.write(content);
        }
        return out.toByteArray();
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
