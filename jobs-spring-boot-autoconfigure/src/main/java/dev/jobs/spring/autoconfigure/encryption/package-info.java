/** The encryption of arguments. */
@NullMarked
package dev.jobs.spring.autoconfigure.encryption;

import org.jspecify.annotations.NullMarked;
