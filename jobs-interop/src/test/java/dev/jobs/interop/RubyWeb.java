package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Sidekiq's web pages, in a Ruby process that runs {@code web.rb}. */
final class RubyWeb implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The token that proves that a form comes from a page. */
    private static final Pattern TOKEN = Pattern.compile("name=['\"]authenticity_token['\"] value=['\"]([^'\"]+)");

    private final RubyProcess process;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .cookieHandler(new CookieManager())
            .build();
    private final URI root;

    RubyWeb(Ruby ruby, Path log, Map<String, String> environment) {
        process = ruby.start(log, environment, Ruby.SCRIPTS.resolve("web.rb").toString());
        root = URI.create("http://127.0.0.1:" + Integer.parseInt(process.hear()) + "/");
    }

    /** Requests a page by its path without the leading slash. Redirects are returned like other answers. */
    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(root.resolve(path)));
    }

    /** Sends a form like a browser that shows the first page. */
    HttpResponse<String> post(String path, Map<String, String> form) {
        Map<String, String> fields = new LinkedHashMap<>(form);
        Matcher token = TOKEN.matcher(get("busy").body());
        if (token.find()) { // up to Sidekiq 8.0
            fields.put("authenticity_token", token.group(1));
        }
        String body = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
        return send(HttpRequest.newBuilder(root.resolve(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Sec-Fetch-Site", "same-origin")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
