/**
 * Starts a real Redis server as a child of this JVM, for samples and tests on machines without an installed one. Needs
 * neither Spring nor a Redis client.
 */
@NullMarked
package dev.jobs.embeddedredis;

import org.jspecify.annotations.NullMarked;
