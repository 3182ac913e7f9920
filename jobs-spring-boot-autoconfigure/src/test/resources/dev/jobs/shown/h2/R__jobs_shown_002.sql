alter table jobs_shown add column name varchar(10);
update jobs_shown set name = 'old';
