package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException.Wrong;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * The rules for the values of properties, checked by the constructor of their class. Bean Validation would do the same,
 * and would be the slowest part of a start. Every method but the last notes a wrong value; the last refuses all of
 * them. Not thread-safe.
 */
@Internal
public final class PropertyRules {

    private final String prefix;
    private final List<Wrong> wrong = new ArrayList<>();

    private PropertyRules(String prefix) {
        this.prefix = prefix;
    }

    /** @param prefix of the names of the properties, without the last dot */
    public static PropertyRules of(String prefix) {
        return new PropertyRules(prefix);
    }

    /**
     * A number in a range.
     *
     * @param name the property below the prefix, as in {@code retry.max-attempts}
     */
    public PropertyRules within(String name, long value, long least, long most) {
        return check(name, value, value >= least && value <= most, "must be " + least + " to " + most);
    }

    /** A time in a range, whose ends are written as in a property; none is right. */
    public PropertyRules within(String name, @Nullable Duration value, String least, String most) {
        return within(
                name, value, DurationStyle.detectAndParse(least), DurationStyle.detectAndParse(most), least, most);
    }

    /** A size in a range, whose ends are written as in a property. */
    public PropertyRules within(String name, DataSize value, String least, String most) {
        return within(name, value, DataSize.parse(least), DataSize.parse(most), least, most);
    }

    private <T extends Comparable<T>> PropertyRules within(
            String name, @Nullable T value, T least, T most, String leastText, String mostText) {
        boolean right = value == null || (value.compareTo(least) >= 0 && value.compareTo(most) <= 0);
        return check(name, value, right, "must be " + leastText + " to " + mostText);
    }

    /**
     * Any other rule.
     *
     * @param right whether the value keeps it
     * @param rule what the value must be, beginning with "must"
     */
    public PropertyRules check(String name, @Nullable Object value, boolean right, String rule) {
        if (!right) {
            wrong.add(new Wrong(prefix + "." + name, String.valueOf(value), rule));
        }
        return this;
    }

    /** The same for a value that may contain a password, which no message quotes. */
    public PropertyRules checkSecret(String name, boolean right, String rule) {
        if (!right) {
            wrong.add(new Wrong(prefix + "." + name, null, rule));
        }
        return this;
    }

    /** @throws IllegalArgumentException if a value is wrong; it names all wrong values */
    public void enforce() {
        if (!wrong.isEmpty()) {
            throw new WrongPropertiesException(wrong);
        }
    }
}
