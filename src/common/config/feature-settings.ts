import type { FactoryProvider, Type } from '@nestjs/common';
import { Config } from './config.js';

/**
 * Provides a feature's own settings: a class whose properties carry `@Env`. They are loaded and validated together with
 * all others when the service starts. Its optional method `contradictions()` compares settings with each other.
 */
export function provideSettings<T extends object>(type: Type<T>): FactoryProvider<T> {
  return { provide: type, inject: [Config], useFactory: (config: Config) => config.ofFeature(type) };
}
