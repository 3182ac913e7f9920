create table if not exists jobs_outbox (
  id bigint auto_increment primary key,
  lane smallint not null,
  slice bigint,
  queue varchar(128) not null,
  due varchar(32),
  jid varchar(255) not null,
  payload longblob not null,
  created bigint not null,
  index jobs_outbox_next (lane, slice, id)
);
create table if not exists jobs_outbox_lane (
  lane smallint primary key,
  source varchar(16) not null,
  number bigint not null
);
