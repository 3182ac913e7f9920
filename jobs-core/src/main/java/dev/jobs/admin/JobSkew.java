package dev.jobs.admin;

import java.util.List;

/**
 * A job that some live workers of a queue know and others don't, or know with other parameters: two versions of an
 * application are alive.
 *
 * @param name the wire name
 * @param known identities of the workers that know it
 * @param unknown identities of the workers that don't, although they serve one of its workers' queues
 * @param shapes number of different parameter lists among those that know it
 */
public record JobSkew(String name, List<String> known, List<String> unknown, int shapes) {

    public JobSkew {
        known = List.copyOf(known);
        unknown = List.copyOf(unknown);
    }
}
