import { ConfigError } from '../../common/config/load-config.js';

/** None of what a cluster needs comes by itself, so the process exits. */
export function refuse(need: string): never {
  throw new ConfigError([`DATABASE_DISTRIBUTION=citus needs ${need}`]);
}
