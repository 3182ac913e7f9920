/** Jobs of other versions of the application. */
@NullMarked
package dev.jobs.spring.autoconfigure.versions;

import org.jspecify.annotations.NullMarked;
