package dev.jobs.dashboard;

import dev.jobs.admin.Trash.Deleted;
import java.util.function.Consumer;

/** What a deletion has done so far, which is all that it did if it fails. Confined to one thread. */
final class Deletion implements Consumer<Deleted> {

    private Deleted soFar = new Deleted(0, 0, 0);

    @Override
    public void accept(Deleted deleted) {
        soFar = deleted;
    }

    Deleted soFar() {
        return soFar;
    }
}
