# frozen_string_literal: true

# Ends this process when its parent, and with it the standard input, is gone.
Thread.new do
  $stdin.read
  exit!(1)
end
