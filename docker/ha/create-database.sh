#!/bin/sh
# Patroni calls this once, on the first primary, with the address of its superuser: the role and the database of the
# service.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" "$1" <<'SQL'
CREATE ROLE animal_store LOGIN PASSWORD :'password';
CREATE DATABASE animal_store OWNER animal_store;
SQL
