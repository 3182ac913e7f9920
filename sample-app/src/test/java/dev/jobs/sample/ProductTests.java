package dev.jobs.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProductTests {

    @Test
    void aLineBecomesAProduct() {
        assertThat(Product.parse("TEA-1, Tea, green ,890")).isEqualTo(new Product("TEA-1", "Tea, green", 890));
    }

    @ParameterizedTest
    @CsvSource({"1, 90", "90, 90", "91, 190", "890, 890", "899, 990", "900, 990"})
    void aPriceIsRoundedUpOnce(int cents, int rounded) {
        Product product = new Product("TEA-1", "Tea", cents);

        assertThat(product.roundedUp().cents()).isEqualTo(rounded);
        assertThat(product.roundedUp().roundedUp()).isEqualTo(product.roundedUp());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TEA-1              | not of the form sku,name,cents",
                "TEA-1,890          | not of the form sku,name,cents",
                "TEA-1,Tea,8.90     | the price '8.90' is not a whole number of cents",
                "TEA-1,Tea,99999999999 | the price '99999999999' is not a whole number of cents",
                "TEA-1,Tea,0        | a product has a number, a name and a price above 0",
                "TEA-1,,890         | a product has a number, a name and a price above 0",
                "' ,Tea,890'        | a product has a number, a name and a price above 0"
            })
    void anInvalidProductIsRefusedWithTheReason(String line, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Product.parse(line))
                .withMessage(reason);
    }
}
