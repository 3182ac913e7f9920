package dev.jobs.spring.autoconfigure;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/** Bounds of a duration or a data size, in the notation of the property. */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = {Within.OfDuration.class, Within.OfDataSize.class})
@interface Within {

    String min();

    String max();

    String message() default "must be {min} to {max}";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** For durations. */
    final class OfDuration implements ConstraintValidator<Within, Duration> {

        private Duration min = Duration.ZERO;
        private Duration max = Duration.ZERO;

        @Override
        public void initialize(Within bounds) {
            min = DurationStyle.detectAndParse(bounds.min());
            max = DurationStyle.detectAndParse(bounds.max());
        }

        @Override
        public boolean isValid(@Nullable Duration value, ConstraintValidatorContext context) {
            return value == null || (value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
        }
    }

    /** For data sizes. */
    final class OfDataSize implements ConstraintValidator<Within, DataSize> {

        private DataSize min = DataSize.ofBytes(0);
        private DataSize max = DataSize.ofBytes(0);

        @Override
        public void initialize(Within bounds) {
            min = DataSize.parse(bounds.min());
            max = DataSize.parse(bounds.max());
        }

        @Override
        public boolean isValid(@Nullable DataSize value, ConstraintValidatorContext context) {
            return value == null || (value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
        }
    }
}
