package dev.jobs;

/**
 * What the contract of an application's jobs says of one job for a feature, besides its name and parameters.
 *
 * @param word what it is about, without blanks; its first word in the file
 * @param text what is said, in one line
 * @param arguments how many of the job's arguments the feature reads, from the first one on
 */
@Internal
public record ContractTerm(String word, String text, int arguments) {}
