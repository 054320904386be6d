-- A role of its own for migrations, so that the one that serves requests can change rows and no table. As superuser:
--
--   psql --set=ON_ERROR_STOP=1 --set=password=… --file=docker/migration-role.sql animal_store
--
-- Then set DATABASE_DIRECT_URL to the address with this role. It takes over tables that exist; run it once.
BEGIN;
CREATE ROLE animal_store_migrations LOGIN PASSWORD :'password';
REASSIGN OWNED BY animal_store TO animal_store_migrations;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO animal_store;
-- An insert of one row needs no grant on the sequence of its ids, but one of several rows does.
GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA public TO animal_store;
-- The tables of later migrations.
ALTER DEFAULT PRIVILEGES FOR ROLE animal_store_migrations IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO animal_store;
ALTER DEFAULT PRIVILEGES FOR ROLE animal_store_migrations IN SCHEMA public
  GRANT USAGE, UPDATE ON SEQUENCES TO animal_store;
COMMIT;
