# frozen_string_literal: true

# All that the scripts beside this one need. Whoever can't load it has no Ruby for these tests.
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
