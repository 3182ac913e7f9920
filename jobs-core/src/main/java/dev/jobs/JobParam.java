package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares the value of a parameter of a {@link Job} method for jobs that were stored without its argument. So a
 * parameter can be added at the end while jobs of the former version wait.
 *
 * <pre>{@code
 * @Job("Emails.welcome")
 * void welcome(String to, @JobParam(defaultValue = "en") String language) {
 *     // jobs stored before the parameter was added run in English
 * }
 * }</pre>
 *
 * <p>Without this annotation a missing argument is an error, unless the parameter is an {@link java.util.Optional} or
 * {@code @Nullable}. An argument that is null is not missing. Both annotations also count on a method that the job's
 * method overrides or implements; the nearest declared value applies.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobParam {

    /**
     * The value as an argument would be stored: plain text for a type that is stored as text (a {@code String}, an
     * enum, a time, a {@code BigDecimal}), JSON for any other ({@code 5}, {@code true}, {@code []},
     * <code>{"currency":"EUR"}</code>). It is read anew for each job, and checked at start.
     */
    String defaultValue();
}
