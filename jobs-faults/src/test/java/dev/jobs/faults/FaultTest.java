package dev.jobs.faults;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** Trials with processes that are killed, frozen or cut off. Only the proof runs them; the rest of the time they compile. */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("proof")
@Tag("fault")
@interface FaultTest {}
