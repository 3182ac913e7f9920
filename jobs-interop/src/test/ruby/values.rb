# frozen_string_literal: true

# Arguments of every kind. Values.java has the same under the same names, so that neither side has to trust the other.
module Interop
  VALUES = {
    "null" => nil,
    "true" => true,
    "false" => false,
    "zero" => 0,
    "one" => 1,
    "one as a float" => 1.0,
    "negative" => -42,
    "largest long" => 9_223_372_036_854_775_807,
    "smallest long" => -9_223_372_036_854_775_808,
    "one more than a long" => 9_223_372_036_854_775_808,
    "big integer" => 12_345_678_901_234_567_890_123_456_789,
    "negative big integer" => -98_765_432_109_876_543_210_987_654_321,
    "tenth" => 0.1,
    "negative float" => -0.5,
    "smallest plain float" => 0.0001,
    "ten million as a float" => 10_000_000.0,
    "seconds of today" => 1_795_237_951.496519,
    "largest plain float" => 999_999_999_999_999.9,
    "empty text" => "",
    "text" => "HardWorker",
    "text that looks like a number" => "1.0",
    "blanks" => " \u00a0 ",
    "quotes and escapes" => "\"\\/\b\f\n\r\t",
    "control characters" => "\u0000\u0001\u001f\u007f\u0085",
    "line separators" => "\u2028\u2029",
    "markup" => "<script>&amp;</script>",
    "accents" => "Ünïcødé é",
    "scripts" => "漢字 кириллица עברית",
    "emoji" => "😀 👩‍👩‍👧‍👦 🏳️‍🌈",
    "beyond the first plane" => "\u{10000}\u{10ffff}",
    "empty array" => [],
    "array" => [1, 1.0, "1", nil, true, [], {}],
    "empty object" => {},
    "object" => {"b" => 1, "a" => {"é😀" => [1.5, nil, {"" => false}]}},
    "deepest array" => (1..98).inject("core") { |inner, _| [inner] },
    "deepest object" => (1..98).inject(1) { |inner, _| {"in" => inner} }
  }.freeze
end
