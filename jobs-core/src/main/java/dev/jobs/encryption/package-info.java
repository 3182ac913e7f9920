/** The encryption of arguments where they are stored. */
@NullMarked
package dev.jobs.encryption;

import org.jspecify.annotations.NullMarked;
