# frozen_string_literal: true

# Everything that the other scripts need. A Ruby that can't load it is unusable for these tests.
require "json"
require "sidekiq"
require "sidekiq/api"
require "sidekiq/web"
require "webrick"
begin
  require "sidekiq/deploy" # Sidekiq 7
rescue LoadError
  nil
end
begin
  require "rackup/handler/webrick" # Rack 3
  require "rack/session"
rescue LoadError
  require "rack/handler/webrick"
end
