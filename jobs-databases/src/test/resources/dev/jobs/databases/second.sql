insert into a values (2);
