# frozen_string_literal: true

# Ends this process when whoever started it is gone and the standard input with it.
Thread.new do
  $stdin.read
  exit!(1)
end
