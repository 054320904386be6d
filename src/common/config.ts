import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { API_PREFIX, type Setting, SETTINGS, type SettingValues } from './settings.js';

export { API_PREFIX, SERVICE_NAME } from './settings.js';

/** `DATABASE_URL_FILE` names a file that holds `DATABASE_URL`, as container platforms mount secrets. */
const FILE_SUFFIX = '_FILE';
/** Settings of version 1. */
const WITHDRAWN = ['WORKERS', 'DATABASE_STANDBY_URLS', 'DATABASE_STALE_READS'];

/** Lists every invalid setting at once. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor assigns all of them
export interface Config extends SettingValues {}

/** The settings of the service, validated. Without any, it has the defaults. */
export class Config {
  constructor(given: Partial<SettingValues> = {}) {
    const defaults = Object.entries(SETTINGS).map(([property, { value }]) => [property, value]);
    Object.assign(this, Object.fromEntries(defaults), given);
  }

  /** Load balancers need time to notice that a replica stops. In development there is none to wait for. */
  get drainMs(): number {
    const isAlone = this.databaseUrl === undefined || process.stdout.isTTY;
    return this.shutdownDrainMs ?? (isAlone ? 0 : 2_000);
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

  /** In the environment, names that no setting has may be those of other programs. */
  warnings(): string[] {
    const names = new Set(Object.values(SETTINGS).flatMap(({ name }) => [name, name + FILE_SUFFIX]));
    const unknown = Object.keys(readDotEnv()).filter((name) => !names.has(name) && !name.startsWith('OTEL_'));
    const withdrawn = WITHDRAWN.filter((name) => process.env[name]);
    return [...new Set([...unknown, ...withdrawn])].map((name) => `${name} has no effect: see docs/settings.md.`);
  }
}

/** Loads and validates all settings. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv = environment()): Config {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  for (const [property, { name, parse, expected }] of Object.entries<Setting>(SETTINGS)) {
    try {
      const text = textOf(name, env);
      if (!text) continue;
      given[property] = parse(text);
      if (given[property] === undefined) problems.push(`${name} must be ${expected}`);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  const config = new Config(given);
  if (problems.length === 0) problems.push(...contradictionsOf(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The environment of this process, completed from `.env`. Libraries read it, too. */
function environment(): NodeJS.ProcessEnv {
  return Object.assign(process.env, { ...readDotEnv(), ...process.env });
}

/** In the working directory. */
function readDotEnv(): Record<string, string> {
  if (!existsSync('.env')) return {};
  try {
    const text = readFileSync('.env', 'utf8');
    return parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>; // editors on Windows put it first
  } catch (error) {
    throw new ConfigError([`.env must be a readable file (${(error as NodeJS.ErrnoException).code})`]);
  }
}

function textOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[name + FILE_SUFFIX];
  if (!path) return env[name];
  if (env[name]) throw new Error(`Set either ${name} or ${name}${FILE_SUFFIX}, not both`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${name}${FILE_SUFFIX} must be the path of a readable file (${code})`, { cause: error });
  }
  // Without an address of the server, for instance, the service would start on the embedded database.
  if (!text) throw new Error(`${name}${FILE_SUFFIX} must not be the path of an empty file`);
  return text;
}

function contradictionsOf(config: Config): string[] {
  const { databaseUrl, databaseDirectory, databaseDirectUrl, databaseDistribution } = config;
  const { keyEnvironment, port, metricsPort } = config;
  const contradictions: Record<string, unknown> = {
    'GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON': config.getPetSunsetOn < config.getPetDeprecatedOn,
    'METRICS_PORT must differ from PORT: choose another port, or 0 for any free one':
      port !== 0 && port === metricsPort,
    // Otherwise a typo would start a deployment, or a command of it, on a new and empty database.
    'KEY_ENVIRONMENT=live needs DATABASE_URL, or another DATABASE_DIR to keep the data on this machine':
      keyEnvironment === 'live' && !databaseUrl && databaseDirectory === SETTINGS.databaseDirectory.value,
    'DATABASE_DISTRIBUTION needs DATABASE_URL, the address of the coordinator': databaseDistribution && !databaseUrl,
    'DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler': databaseDirectUrl && !databaseUrl,
  };
  return Object.keys(contradictions).filter((problem) => contradictions[problem]);
}
