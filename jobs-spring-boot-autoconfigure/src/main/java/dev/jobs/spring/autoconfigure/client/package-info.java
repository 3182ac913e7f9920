/** The client, made before the beans that it calls. */
@NullMarked
package dev.jobs.spring.autoconfigure.client;

import org.jspecify.annotations.NullMarked;
