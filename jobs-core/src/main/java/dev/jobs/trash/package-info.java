/** Deleted jobs, which can be restored for a while: {@link dev.jobs.trash.Trash}. */
@NullMarked
package dev.jobs.trash;

import org.jspecify.annotations.NullMarked;
