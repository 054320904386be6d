import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../common/config/load-config.js';
import { PetsSettings } from './pets.settings.js';

describe('PetsSettings', () => {
  it('defaults to the dates of the specification, which a deployment can change', () => {
    expect(loadConfig({}).ofFeature(PetsSettings)).toEqual(new PetsSettings());
    const moved = loadConfig({ GETPET_DEPRECATED_ON: '2026-01-31', GETPET_SUNSET_ON: '2031-02-28' });
    expect(moved.ofFeature(PetsSettings)).toEqual({
      getPetDeprecatedOn: new Date('2026-01-31T00:00:00Z'),
      getPetSunsetOn: new Date('2031-02-28T00:00:00Z'),
    });
  });

  it('reports invalid dates together with all other invalid settings', () => {
    expect(() => loadConfig({ GETPET_SUNSET_ON: '2030-02-30', PORT: 'x' })).toThrow(
      /PORT must be a port number.*\n.*GETPET_SUNSET_ON must be a day such as 2030-12-05/,
    );
  });

  it('rejects a sunset before the deprecation', () => {
    expect(() => loadConfig({ GETPET_SUNSET_ON: '2025-12-04' })).toThrow(
      'GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON',
    );
  });
});
