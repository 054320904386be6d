import { existsSync } from 'node:fs';
import { Config } from './config.js';
import { allSettings } from './env.decorator.js';

/** Lists every invalid setting at once. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/** The environment of this process, completed from `.env` in the working directory. */
export function environment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Loads and validates the settings of the service and of every imported feature. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const loaded = [...allSettings()].map(([type, settings]) => {
    const values: Record<string, unknown> = {};
    for (const { name, property, parser } of settings) {
      const text = env[name];
      if (!text) continue;
      values[property] = parser.parse(text);
      if (values[property] === undefined) problems.push(`${name} must be ${parser.expected}`);
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

function contradictionsOf(settings: { contradictions?(): string[] }): string[] {
  return settings.contradictions?.() ?? [];
}
