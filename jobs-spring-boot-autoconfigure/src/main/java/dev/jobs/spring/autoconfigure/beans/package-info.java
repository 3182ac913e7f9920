/** Values that need beans, for those that exist before the beans do. */
@NullMarked
package dev.jobs.spring.autoconfigure.beans;

import org.jspecify.annotations.NullMarked;
