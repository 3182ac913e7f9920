/** Stands in for the JVM that {@code org.crac} expects, which finds these classes by their names. */
package dev.jobs.spring.checkpoint;
