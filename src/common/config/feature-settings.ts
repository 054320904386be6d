import type { FactoryProvider, Type } from '@nestjs/common';
import { Config } from './config.js';

/**
 * Provides the settings that a feature keeps for itself: a class whose properties are marked with `@Env`. They are read
 * and checked together with all others when the service starts.
 */
export function provideSettings<T extends object>(type: Type<T>): FactoryProvider<T> {
  return { provide: type, inject: [Config], useFactory: (config: Config) => config.of(type) };
}
