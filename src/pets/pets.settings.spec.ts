import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../common/config/load-config.js';
import { PetsSettings } from './pets.settings.js';

describe('The settings of pets', () => {
  it('are those of the specification, unless a deployment moves them', () => {
    expect(loadConfig({}).ofFeature(PetsSettings)).toEqual(new PetsSettings());
    const moved = loadConfig({ GETPET_DEPRECATED_ON: '2026-01-31', GETPET_SUNSET_ON: '2031-02-28' });
    expect(moved.ofFeature(PetsSettings)).toEqual({
      getPetDeprecatedOn: new Date('2026-01-31T00:00:00Z'),
      getPetSunsetOn: new Date('2031-02-28T00:00:00Z'),
    });
  });

  it('are refused with all other settings at once', () => {
    expect(() => loadConfig({ GETPET_SUNSET_ON: '2030-02-30', PORT: 'x' })).toThrow(
      /PORT must be a port number.*\n.*GETPET_SUNSET_ON must be a day such as 2030-12-05/,
    );
  });

  it('do not let the sunset come before the deprecation', () => {
    expect(() => loadConfig({ GETPET_SUNSET_ON: '2025-12-04' })).toThrow(
      'GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON',
    );
  });
});
