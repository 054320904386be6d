import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { API_PREFIX, type Setting, SETTINGS, type SettingValues } from './settings.js';

export { API_PREFIX, SERVICE_NAME } from './settings.js';

/** `DATABASE_URL_FILE` names a file that holds `DATABASE_URL`, as container platforms mount secrets. */
const FILE_SUFFIX = '_FILE';

/** Settings of earlier versions, and what to do instead. */
const WITHDRAWN: Record<string, string> = {
  WORKERS: 'run more replicas',
  DATABASE_STANDBY_URLS: 'reads go to the primary',
  DATABASE_STALE_READS: 'reads go to the primary',
};

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

  warnings(): string[] {
    if (this.databaseUrl || this.keyEnvironment !== 'live') return [];
    return ['Data is kept in a folder of this machine only, beside live keys: set DATABASE_URL for production.'];
  }
}

/** The environment of this process, completed from `.env` in the working directory. */
function environment(): NodeJS.ProcessEnv {
  return Object.assign(process.env, { ...readFile(), ...process.env });
}

/** Variables that have no effect. Names of other programs may stand in the environment, but not in `.env`. */
export function ineffectiveVariables(): string[] {
  const names = new Set(Object.values(SETTINGS).flatMap(({ name }) => [name, name + FILE_SUFFIX]));
  const isUnknown = (name: string): boolean => !names.has(name) && !name.startsWith('OTEL_') && !(name in WITHDRAWN);
  const unknown = Object.keys(readFile()).filter(isUnknown);
  const withdrawn = Object.keys(WITHDRAWN).filter((name) => process.env[name]);
  return [
    ...unknown.map((name) => `${name} in .env is not a setting of this service: see docs/settings.md.`),
    ...withdrawn.map((name) => `${name} has no effect any more: ${WITHDRAWN[name]}.`),
  ];
}

function readFile(): Record<string, string> {
  if (!existsSync('.env')) return {};
  try {
    const text = readFileSync('.env', 'utf8');
    return parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>; // editors on Windows put it first
  } catch (error) {
    throw new ConfigError([`.env must be a readable file (${(error as NodeJS.ErrnoException).code})`]);
  }
}

/** Loads and validates all settings. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv = environment()): Config {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  for (const [property, setting] of Object.entries(SETTINGS)) {
    try {
      const value = read(setting, env);
      if (value !== undefined) given[property] = value;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  const config = new Config(given);
  if (problems.length === 0) problems.push(...contradictionsOf(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function read({ name, parse, expected }: Setting, env: NodeJS.ProcessEnv): unknown {
  const text = textOf(name, env);
  if (!text) return undefined;
  const value = parse(text);
  if (value === undefined) throw new Error(`${name} must be ${expected}`);
  return value;
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
  const { databaseUrl, databaseDirectUrl, databaseDistribution, port, metricsPort, host, metricsHost } = config;
  const problems = [];
  if (config.getPetSunsetOn < config.getPetDeprecatedOn)
    problems.push('GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON');
  if (port !== 0 && metricsPort === port && overlap(host, metricsHost))
    problems.push('METRICS_PORT must differ from PORT: choose another port, or 0 for any free one');
  if (databaseDistribution && !databaseUrl)
    problems.push('DATABASE_DISTRIBUTION needs DATABASE_URL, the address of the coordinator');
  if (databaseDirectUrl && !databaseUrl)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler');
  return problems;
}

/** Whether both hosts may be or include the same address. */
function overlap(...hosts: [string, string]): boolean {
  return hosts[0] === hosts[1] || hosts.includes('::') || hosts.includes('0.0.0.0');
}
