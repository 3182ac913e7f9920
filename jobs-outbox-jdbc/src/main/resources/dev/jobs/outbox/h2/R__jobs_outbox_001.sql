create table if not exists jobs_outbox (
  id bigint generated always as identity primary key,
  lane smallint not null,
  slice bigint,
  queue varchar(128) not null,
  due varchar(32),
  jid varchar(255) not null,
  payload varbinary(500000000) not null,
  created bigint not null
);
create index if not exists jobs_outbox_next on jobs_outbox (lane, slice, id);
create table if not exists jobs_outbox_lane (
  lane smallint primary key,
  source varchar(16) not null,
  number bigint not null
);
