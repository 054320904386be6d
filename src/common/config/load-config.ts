import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Config } from './config.js';
import { allSettings, FILE_SUFFIX } from './env.decorator.js';
import { misspeltSettings } from './misspelt-settings.js';

/** Lists every invalid setting at once. */
export class ConfigError extends Error {
  constructor(problems: string[], options?: ErrorOptions) {
    super(
      ['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'),
      options,
    );
    this.name = 'ConfigError';
  }
}

/** The environment of this process, completed from `.env` in the working directory. */
export function environment(): NodeJS.ProcessEnv {
  return Object.assign(process.env, readEnvironment());
}

/** The same without changing that of this process, whose children read `.env` themselves. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return { ...readFile(), ...process.env };
}

function readFile(): Record<string, string> {
  if (!existsSync('.env')) return {};
  try {
    const text = readFileSync('.env', 'utf8');
    return parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>; // editors on Windows put it first
  } catch (error) {
    throw new ConfigError([`.env must be a readable file (${(error as NodeJS.ErrnoException).code})`], {
      cause: error,
    });
  }
}

/** Warnings about variables that have no effect, probably because of a typing error. */
export function ineffectiveVariables(): string[] {
  return misspeltSettings(Object.keys(readFile()), Object.keys(process.env));
}

/** Loads and validates the settings of the service and of every imported feature. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const loaded = [...allSettings()].map(([type, settings]) => {
    const values: Record<string, unknown> = {};
    for (const { name, property, parser } of settings) {
      try {
        const text = textOf(name, env);
        if (!text) continue;
        values[property] = parser.parse(text);
        if (values[property] === undefined) problems.push(`${name} must be ${parser.expected}`);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    return Object.assign(new type() as object, values);
  });
  if (problems.length === 0) problems.push(...loaded.flatMap(contradictionsOf));
  if (problems.length > 0) throw new ConfigError(problems);
  const featureSettings = loaded.filter((instance) => !(instance instanceof Config));
  return Object.assign(
    loaded.find((instance) => instance instanceof Config)!,
    { featureSettings },
  );
}

function textOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[`${name}${FILE_SUFFIX}`];
  if (!path) return env[name];
  if (env[name]) throw new Error(`Set either ${name} or ${name}${FILE_SUFFIX}, not both`);
  const text = readSetting(name, path);
  // Without an address of the server, for instance, the service would start on the embedded database.
  if (!text) throw new Error(`${name}${FILE_SUFFIX} must not be the path of an empty file`);
  return text;
}

function readSetting(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(
      `${name}${FILE_SUFFIX} must be the path of a readable file (${(error as NodeJS.ErrnoException).code})`,
      {
        cause: error,
      },
    );
  }
}

function contradictionsOf(settings: { contradictions?(): string[] }): string[] {
  return settings.contradictions?.() ?? [];
}
