/** Which tests belong to every build and which to the proof, how long they wait, and the count of what ran. */
@NullMarked
package dev.jobs.proof;

import org.jspecify.annotations.NullMarked;
