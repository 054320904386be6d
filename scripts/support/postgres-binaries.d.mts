/** The folder with initdb, pg_ctl and postgres, if PostgreSQL is installed. */
export declare function findPostgres(): string | undefined;
