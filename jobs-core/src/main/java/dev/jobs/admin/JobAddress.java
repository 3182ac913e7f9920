package dev.jobs.admin;

/**
 * Which job it is, and where it was seen last.
 *
 * @param score its score in a set, any number but NaN; ignored in a queue
 * @param index its position, as in {@link ListedJob#index}; a wrong one only makes the search longer
 * @param digest its {@link JobRecord#digest}
 */
public record JobAddress(double score, long index, String digest) {}
