import { existsSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
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
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const read = <T extends object>(type: Type<T>): T =>
    plainToInstance(type, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
  const config = read(Config);
  const featureSettings = [...allSettings().keys()]
    .filter((type) => type !== Config)
    .map((type) => read(type) as object);
  const problems = [config, ...featureSettings].flatMap((part) =>
    validateSync(part).flatMap((error) => Object.values(error.constraints ?? {})),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.assign(config, { featureSettings });
}
