export const USAGE = `API keys, from the command line:

  npm run keys -- issue --name NAME [--owner WHO] [--note TEXT] [--expires 90d] [--quiet]
      makes a key for NAME and shows it, this once; it lives for 365 days unless told otherwise
      (90d is 90 days, 12h is 12 hours); --quiet prints nothing but the key
  npm run keys -- list
      shows all keys, without what would let anybody use them
  npm run keys -- show ID
      shows all that is known of one key; ID is the number that "list" shows
  npm run keys -- rotate ID [--overlap 24h] [--expires 90d] [--quiet]
      makes a successor for a key; the old one keeps working for the overlap
  npm run keys -- revoke ID
      makes a key stop working within five seconds
  npm run keys -- prune [--older-than 30d]
      forgets keys that expired or were revoked that long ago

  Each command takes --json, for scripts.
`;
