package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a feature adds to the extensions of one kind. A bean of this type is none of the kind itself: an application that
 * has one of its own can inject that, and have one unless there is another.
 *
 * @param turn whatever order those of the application have
 */
@Internal
public record FeatureExtension<T>(Class<T> kind, Turn turn, T extension) {

    /** When it is called. */
    public enum Turn {
        BEFORE,
        AFTER
    }

    /** One that is called before those of the application. */
    public static <T> FeatureExtension<T> before(Class<T> kind, T extension) {
        return new FeatureExtension<>(kind, Turn.BEFORE, extension);
    }

    /** One that is called after those of the application. */
    public static <T> FeatureExtension<T> after(Class<T> kind, T extension) {
        return new FeatureExtension<>(kind, Turn.AFTER, extension);
    }

    /**
     * Those of a kind, in calling order.
     *
     * @param beans of the application
     */
    public static <T> List<T> around(Class<T> kind, Stream<T> beans, List<FeatureExtension<?>> ofFeatures) {
        return Stream.of(of(kind, Turn.BEFORE, ofFeatures), beans, of(kind, Turn.AFTER, ofFeatures))
                .flatMap(each -> each)
                .toList();
    }

    private static <T> Stream<T> of(Class<T> kind, Turn turn, List<FeatureExtension<?>> ofFeatures) {
        return ofFeatures.stream()
                .filter(each -> each.kind == kind && each.turn == turn)
                .map(each -> kind.cast(each.extension));
    }
}
