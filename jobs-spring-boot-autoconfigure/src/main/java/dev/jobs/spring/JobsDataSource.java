package dev.jobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code DataSource} bean that has the tables of the outbox and of the history. Without it, that is the
 * single or primary one. At most one bean may have it; with {@code defaultCandidate = false} it is not in the way of
 * others:
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @JobsDataSource
 * DataSource orders() { … }
 * }</pre>
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier public @interface JobsDataSource {}
