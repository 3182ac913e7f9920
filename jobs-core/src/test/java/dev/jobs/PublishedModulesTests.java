package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** What is published of the modules that the root pom lists, those that spring-boot:run leaves out included. */
class PublishedModulesTests {

    private static final Path PROJECT = Path.of("..");
    private static final String BOM = "jobs-bom";
    /** Its modules come from the profile of the same name, with which a release is built. */
    private static final String BOOT_3 = "boot3";

    @Test
    void theBomHasEveryPublishedModuleAndNoOther() throws Exception {
        Set<String> published = published();
        assertThat(published).contains("jobs-core", "jobs-spring-boot-starter", "jobs-spring-boot3-starter");
        assertThat(published).doesNotContain("sample-app", "jobs-faults", "jobs-interop");

        assertThat(managed(PROJECT.resolve(BOM).resolve("pom.xml")))
                .as("modules in jobs-bom/pom.xml; a module that is not published has maven.deploy.skip")
                .isEqualTo(published);
    }

    /** Made by the build of jobs-bom, which comes before this module's in a whole build. */
    @Test
    void thePublishedBomHasNoParentWhoseVersionsItWouldBring() throws Exception {
        Path flattened = PROJECT.resolve(BOM).resolve("target/.flattened-pom.xml");
        assumeThat(flattened).exists();

        assertThat(children(read(flattened), "parent")).isEmpty();
        assertThat(managed(flattened)).isEqualTo(published());
        assertThat(children(read(flattened), "properties")).isEmpty();
    }

    @Test
    void aReleaseExcludesEveryOtherModule() throws Exception {
        assertThat(ofProfiles("configuration", "excludeArtifacts", "excludeArtifact"))
                .isEqualTo(modules(true));
    }

    @Test
    void theComparisonWithAReleaseLeavesOutWhatIsInternal() throws Exception {
        assertThat(ofProfiles("executions", "execution", "configuration", "parameter", "excludes", "exclude"))
                .containsExactly("@" + Internal.class.getName());
    }

    /** The texts of elements of the plugins in the root's profiles. */
    private static Set<String> ofProfiles(String... path) throws Exception {
        Set<String> texts = new TreeSet<>();
        for (Element plugin :
                path(read(PROJECT.resolve("pom.xml")), "profiles", "profile", "build", "plugins", "plugin")) {
            path(plugin, path).forEach(each -> texts.add(each.getTextContent()));
        }
        return texts;
    }

    /** Anything a jar contains of others, and anything that an application gets with it, has its terms in NOTICE. */
    @Test
    void theNoticeNamesEveryDependency() throws Exception {
        Set<String> groups = new TreeSet<>();
        for (String module : published()) {
            String folder = module.startsWith("jobs-spring-boot3-") ? BOOT_3 + "/" + module : module;
            Element pom = read(PROJECT.resolve(folder).resolve("pom.xml"));
            for (Element dependency : path(pom, "dependencies", "dependency")) {
                String group = text(dependency, "groupId");
                if (!"test".equals(text(dependency, "scope")) && !group.equals("dev.jobs")) {
                    groups.add(group);
                }
            }
        }
        assertThat(groups).contains("io.lettuce", "org.signal");

        String notice = Files.readString(PROJECT.resolve("NOTICE"));
        assertThat(groups).as("groups of dependencies that NOTICE doesn't name").allSatisfy(group -> assertThat(notice)
                .contains(group));
    }

    /** The artifact ids of the modules with jars that are deployed. */
    private static Set<String> published() throws Exception {
        return modules(false);
    }

    private static Set<String> modules(boolean skipped) throws Exception {
        Set<String> found = new TreeSet<>();
        Element root = read(PROJECT.resolve("pom.xml"));
        List<Element> modules = new ArrayList<>(path(root, "modules", "module"));
        path(root, "profiles", "profile").stream()
                .filter(profile -> text(profile, "id").equals("beside-the-sample"))
                .forEach(profile -> modules.addAll(path(profile, "modules", "module")));
        List<String> folders =
                new ArrayList<>(modules.stream().map(Element::getTextContent).toList());
        path(read(PROJECT.resolve(BOOT_3).resolve("pom.xml")), "modules", "module").stream()
                .map(each -> BOOT_3 + "/" + each.getTextContent())
                .forEach(folders::add);
        for (String folder : folders) {
            Element pom = read(PROJECT.resolve(folder).resolve("pom.xml"));
            boolean skips = path(pom, "properties", "maven.deploy.skip").stream()
                    .anyMatch(each -> each.getTextContent().equals("true"));
            if (skips == skipped && !"pom".equals(text(pom, "packaging"))) {
                found.add(text(pom, "artifactId"));
            }
        }
        return found;
    }

    private static Set<String> managed(Path pom) throws Exception {
        Set<String> managed = new TreeSet<>();
        for (Element each : path(read(pom), "dependencyManagement", "dependencies", "dependency")) {
            managed.add((text(each, "groupId") + ":").replace("dev.jobs:", "") + text(each, "artifactId"));
        }
        return managed;
    }

    private static Element read(Path pom) throws IOException, SAXException, ParserConfigurationException {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getDocumentElement();
    }

    private static List<Element> path(Element from, String... names) {
        List<Element> found = List.of(from);
        for (String name : names) {
            found = found.stream()
                    .flatMap(each -> children(each, name).stream())
                    .toList();
        }
        return found;
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    /** The text of a child, empty if there is none. */
    private static String text(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? "" : found.get(0).getTextContent();
    }
}
