/** The installations that an application divides its jobs among: one, unless a module brings more. */
@NullMarked
package dev.jobs.spring.autoconfigure.installations;

import org.jspecify.annotations.NullMarked;
