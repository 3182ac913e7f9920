package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a {@link Job} method whose argument nobody is to see: pages, their API and log lines show {@code •••} in its place,
 * also where its text turns up in the message of a failure. It is stored in Redis as it is, and the job gets it as it is.
 *
 * <p>Jobs that this application doesn't know are masked by beans of type {@link ArgumentMask}.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Masked {}
