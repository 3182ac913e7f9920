package dev.jobs.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Shows what to try, for browsers and curl. */
@RestController
class WelcomeController {

    private final String text;

    WelcomeController(@Value("classpath:welcome.txt") Resource text) throws IOException {
        this.text = text.getContentAsString(StandardCharsets.UTF_8);
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE + ";charset=UTF-8")
    String welcome() {
        String url = ServletUriComponentsBuilder.fromCurrentContextPath().toUriString();
        return text.replace("{url}", url);
    }
}
