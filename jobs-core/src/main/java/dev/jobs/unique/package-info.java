/** Unique jobs ({@link dev.jobs.unique.Unique}), throttling and debouncing: locks that jobs hold while they are pending. */
@NullMarked
package dev.jobs.unique;

import org.jspecify.annotations.NullMarked;
