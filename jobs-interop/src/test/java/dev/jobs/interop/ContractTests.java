package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.interop.Contract.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The tests agree with docs/sidekiq.md on each section of the contract: a section that is held has tests tagged with
 * its number, and no test is tagged with a section that isn't.
 */
class ContractTests {

    /** The values of the third column, and whether tests have to verify them. */
    private static final Map<String, Boolean> HELD =
            Map.of("yes", true, "in part", true, "otherwise", true, "no", false, "–", false);

    @Test
    void theTableIsInOrderAndSaysOfEverySectionWhetherItIsHeld() throws IOException {
        List<Section> sections = Contract.sections();

        assertThat(sections).hasSizeGreaterThan(60);
        assertThat(sections).extracting(Section::number).doesNotHaveDuplicates();
        assertThat(sections.stream().map(section -> sortable(section.number()))).isSorted();
        assertThat(sections).extracting(Section::held).isSubsetOf(HELD.keySet());
    }

    /** Sorts 11.2 before 11.10. */
    private static String sortable(String section) {
        return Pattern.compile("\\d+")
                .matcher(section)
                .replaceAll(number -> String.format("%03d", Integer.parseInt(number.group())));
    }

    @Test
    void everySectionThatIsHeldHasATestAndEveryTestASection() throws IOException {
        List<Section> sections = Contract.sections();
        Map<String, Integer> tests = Contract.tests();

        assertThat(sections).extracting(Section::number).containsAll(tests.keySet());
        List<String> wrongs = new ArrayList<>();
        for (Section section : sections) {
            boolean held = HELD.getOrDefault(section.held(), false);
            if (held != tests.containsKey(section.number())) {
                wrongs.add(section.number() + ": the page says '" + section.held() + "', and "
                        + (held ? "no test has this tag" : "tests have this tag"));
            }
        }
        assertThat(wrongs).isEmpty();
    }
}
