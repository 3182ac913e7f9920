package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts are legible on all their backgrounds, in light and dark. */
class ColoursTests {

    private static final Path SHEET = Path.of("src/main/resources/dev/jobs/dashboard/ui/assets/tokens.css");
    private static final Pattern TOKEN = Pattern.compile("--([\\w-]+): light-dark\\(#(\\w{6}), #(\\w{6})\\)");

    /** Required by WCAG 2 for texts of normal size. */
    private static final double LEAST_CONTRAST = 4.5;

    private final Map<String, List<Integer>> colours = colours();

    @ParameterizedTest
    @CsvSource({
        "ink, page surface sunken hover accent-soft bad-soft warn-soft",
        "ink-soft, page surface sunken hover accent-soft bad-soft warn-soft",
        "ink-faint, page surface sunken hover accent-soft",
        "accent, page surface hover accent-soft",
        "bad, page surface hover accent-soft bad-soft",
        "warn, warn-soft",
        "good, good-soft",
        "env-grey, env-grey-soft",
        "env-green, env-green-soft",
        "env-blue, env-blue-soft",
        "env-orange, env-orange-soft",
        "env-red, env-red-soft",
        "on-accent, accent",
        "on-bad, bad",
        "page, ink"
    })
    void textsStandOutFromTheirGround(String ink, String grounds) {
        for (String ground : grounds.split(" ")) {
            for (int theme = 0; theme < 2; theme++) {
                assertThat(contrast(colour(ink).get(theme), colour(ground).get(theme)))
                        .as("%s on %s, %s", ink, ground, theme == 0 ? "light" : "dark")
                        .isGreaterThanOrEqualTo(LEAST_CONTRAST);
            }
        }
    }

    private List<Integer> colour(String token) {
        return Objects.requireNonNull(colours.get(token), token);
    }

    private static double contrast(int one, int other) {
        double lighter = Math.max(luminance(one), luminance(other));
        double darker = Math.min(luminance(one), luminance(other));
        return (lighter + 0.05) / (darker + 0.05);
    }

    private static double luminance(int colour) {
        return 0.2126 * linear(colour >> 16 & 0xff)
                + 0.7152 * linear(colour >> 8 & 0xff)
                + 0.0722 * linear(colour & 0xff);
    }

    private static double linear(int channel) {
        double share = channel / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }

    private static Map<String, List<Integer>> colours() {
        Map<String, List<Integer>> colours = new HashMap<>();
        Matcher token = TOKEN.matcher(sheet());
        while (token.find()) {
            colours.put(
                    token.group(1),
                    List.of(Integer.parseInt(token.group(2), 16), Integer.parseInt(token.group(3), 16)));
        }
        return colours;
    }

    private static String sheet() {
        try {
            return Files.readString(SHEET, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
