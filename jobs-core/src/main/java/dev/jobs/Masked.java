package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a {@link Job} method as confidential: the dashboard, its API and log lines show {@code •••}
 * instead of the argument, also where its text appears in the message of a failure. The argument is stored in Redis
 * unmasked, and the job receives it unmasked.
 *
 * <p>Beans of type {@link ArgumentMask} mask the arguments of jobs that this application doesn't know.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Masked {}
