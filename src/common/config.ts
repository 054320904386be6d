import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from './command.js';
import { API_PREFIX, type Setting, SETTINGS, type SettingValues } from './settings.js';

export { API_PREFIX, SERVICE_NAME } from './settings.js';

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor assigns all of them
export interface Config extends SettingValues {}

/** The settings of the service. A new object has the defaults; `loadConfig` replaces those that the environment sets. */
export class Config {
  constructor() {
    for (const [property, { value }] of Object.entries(SETTINGS)) Object.assign(this, { [property]: value });
  }

  /** Load balancers need time to notice that a replica stops. In development, there is no load balancer to wait for. */
  get drainMs(): number {
    return this.shutdownDrainMs ?? (!this.databaseUrl || process.stdout.isTTY ? 0 : 2_000);
  }

  /** The base of every link in a response. */
  get apiBase(): string {
    return this.publicUrl ?? API_PREFIX;
  }

  /** The path that a proxy puts in front of the service's own paths. */
  get rootPath(): string {
    return new URL(this.apiBase, 'http://localhost').pathname.slice(0, -API_PREFIX.length);
  }

  get docsUrl(): string {
    return `${this.apiBase.slice(0, -API_PREFIX.length)}/docs`;
  }
}

/** Loads and validates all settings, and lists every problem at once. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv = environment()): Config {
  const config = new Config();
  const problems: string[] = [];
  for (const [property, { name, expected, isValid, read }] of Object.entries<Setting>(SETTINGS)) {
    try {
      const text = textOf(name, env);
      if (text && !isValid(text)) problems.push(`${name} must be ${expected}`);
      else if (text) Object.assign(config, { [property]: read(text) });
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length === 0) problems.push(...contradictionsOf(config));
  if (problems.length > 0) throw new UsageError(['The configuration is not valid:', ...problems].join('\n  - '));
  return config;
}

/** Names in `.env` that are no settings, and so probably typos. Other programs have variables in the environment. */
export function unknownSettings(): string[] {
  const names = new Set(Object.values(SETTINGS).flatMap(({ name }) => [name, `${name}_FILE`]));
  const given = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return Object.keys(given).filter((name) => !names.has(name) && !name.startsWith('OTEL_'));
}

/** Completes the environment of this process from `.env` in the working directory, since libraries read it, too. */
function environment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile();
  return process.env;
}

/** Container platforms mount secrets as files, so `DATABASE_URL_FILE`, for example, may name a file with `DATABASE_URL`. */
function textOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return env[name];
  if (env[name]) throw new Error(`Set either ${name} or ${name}_FILE, not both`);
  try {
    const text = readFileSync(path, 'utf8').trim();
    // If an empty file with the database's address were ignored, the service would start on the embedded database.
    if (!text) throw new Error('it is empty');
    return text;
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function contradictionsOf(config: Config): string[] {
  const { databaseUrl, databaseDirectory, databaseDirectUrl, databaseDistribution, keyEnvironment } = config;
  const contradictions: Record<string, unknown> = {
    'GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON': config.getPetSunsetOn < config.getPetDeprecatedOn,
    // Otherwise a deployment, or a command in it, that lacks DATABASE_URL would use a new and empty embedded database.
    'KEY_ENVIRONMENT=live needs DATABASE_URL, or another DATABASE_DIR to keep the data on this machine':
      keyEnvironment === 'live' && !databaseUrl && databaseDirectory === SETTINGS.databaseDirectory.value,
    'DATABASE_DISTRIBUTION and DATABASE_DIRECT_URL need DATABASE_URL':
      (databaseDistribution ?? databaseDirectUrl) && !databaseUrl,
  };
  return Object.keys(contradictions).filter((problem) => contradictions[problem]);
}
