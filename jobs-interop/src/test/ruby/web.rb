# frozen_string_literal: true

# Sidekiq's web pages on a free port of this machine only, which it prints.
answers = $stdout.dup
answers.sync = true
$stdout.reopen($stderr) # Sidekiq logs there

require_relative "libraries"
require_relative "orphan"
require "securerandom"

app = Rack::Builder.new do
  use Rack::Session::Cookie, secret: SecureRandom.hex(32), same_site: true
  run Sidekiq::Web
end

handler = defined?(Rackup::Handler::WEBrick) ? Rackup::Handler::WEBrick : Rack::Handler::WEBrick
handler.run(
  app.to_app,
  BindAddress: "127.0.0.1",
  Host: "127.0.0.1",
  Port: 0,
  AccessLog: []
) do |server|
  answers.puts(server.listeners.first.addr[1])
end
