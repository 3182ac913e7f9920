package dev.jobs.dashboard.actions;

import dev.jobs.Payload;
import dev.jobs.admin.LenientValues;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tags that another job takes over from a stored one. People write them as they see them, which may be masked and
 * cut; those that they leave alone stay as they are stored.
 */
final class CarriedTags {

    private static final int MOST_TAG = 100;

    /** Of a new job. */
    static final CarriedTags NONE = new CarriedTags(List.of());

    /** @param line how a form has it; empty if it has not */
    private record Tag(String stored, String shown, String line) {

        boolean isHidden() {
            return !stored.equals(shown);
        }
    }

    private final List<Tag> tags;

    private CarriedTags(List<Tag> tags) {
        this.tags = tags;
    }

    /** @param shown the job as it may be shown */
    static CarriedTags of(Payload stored, Payload shown) {
        List<String> all = LenientValues.texts(stored.get("tags"));
        List<String> visible = Views.tags(shown);
        List<String> lines = Views.tagLines(shown);
        return new CarriedTags(IntStream.range(0, all.size())
                .mapToObj(i -> new Tag(
                        all.get(i), i < visible.size() ? visible.get(i) : "", i < lines.size() ? lines.get(i) : ""))
                .toList());
    }

    /**
     * Those of a form, and those that it didn't have.
     *
     * @throws Problem if a new one is too long
     */
    List<String> written(List<String> lines) {
        List<Tag> left = new ArrayList<>(tags);
        List<String> all = new ArrayList<>();
        for (String line : lines) {
            Tag same = left.stream()
                    .filter(tag -> tag.line().equals(line))
                    .findFirst()
                    .orElse(null);
            if (same == null && line.length() > MOST_TAG) {
                throw Problem.badParameter("tags", "tags of at most " + MOST_TAG + " characters");
            }
            left.remove(same);
            all.add(same == null ? line : same.stored());
        }
        return Stream.concat(
                        all.stream(), tags.stream().skip(Views.MOST_TAG_LINES).map(Tag::stored))
                .distinct()
                .toList();
    }

    /**
     * Tags of the new job, masked where the stored job hides what the new one would tell, since it has another argument
     * in the place of the hidden one.
     *
     * @param shown the new job as it may be shown
     */
    List<String> hidden(List<String> ofNew, Payload shown) {
        List<String> visible = Views.tags(shown);
        return IntStream.range(0, ofNew.size())
                .mapToObj(i -> {
                    String tag = ofNew.get(i);
                    return tags.stream()
                            .filter(each -> each.isHidden() && each.stored().equals(tag))
                            .filter(each -> visible.size() != ofNew.size()
                                    || !each.shown().equals(visible.get(i)))
                            .findFirst()
                            .map(Tag::shown)
                            .orElse(tag);
                })
                .toList();
    }
}
