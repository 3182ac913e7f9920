begin
  execute immediate 'create table jobs_outbox (
    id number(19) generated always as identity primary key,
    lane number(5) not null,
    slice number(19),
    queue varchar2(128 char),
    due varchar2(32 char),
    jid varchar2(255 char),
    payload blob not null,
    created number(19) not null
  )';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_outbox_next on jobs_outbox (lane, slice, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create table jobs_outbox_lane (
    lane number(5) primary key,
    source varchar2(16 char) not null,
    "NUMBER" number(19) not null
  )';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
