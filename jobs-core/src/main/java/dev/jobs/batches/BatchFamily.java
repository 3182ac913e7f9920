package dev.jobs.batches;

import java.util.List;

/**
 * The batches around a batch, as far as they still exist.
 *
 * @param ancestors the batch that it is a child of, and so on, outermost first; at most 10
 * @param before the batches that had to succeed before it, first one first; at most 10
 * @param after the batches that open one after the other when it succeeds; at most 10
 * @param children its child batches, unfinished ones first; at most 100
 * @param partial whether there are more
 */
public record BatchFamily(
        List<BatchStatus> ancestors,
        List<BatchStatus> before,
        List<BatchStatus> after,
        List<BatchStatus> children,
        boolean partial) {

    public BatchFamily {
        ancestors = List.copyOf(ancestors);
        before = List.copyOf(before);
        after = List.copyOf(after);
        children = List.copyOf(children);
    }
}
