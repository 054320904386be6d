import { existsSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Config } from './config.js';

/** Lists everything that is wrong with the environment, so that it can be mended in one go. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/** The environment of this process, with what `.env` in the working directory adds to it. */
export function environment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Reads and checks the configuration. An empty variable counts as absent. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const config = plainToInstance(Config, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
  const problems = validateSync(config).flatMap((error) => Object.values(error.constraints ?? {}));
  if (config.getPetSunsetOn < config.getPetDeprecatedOn) {
    problems.push('GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}
