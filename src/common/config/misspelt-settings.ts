import { closestMatch } from 'leven';
import { allSettings, FILE_SUFFIX } from './env.decorator.js';

/** Shorter names, such as HOME, come close to a setting by chance. */
const LONG = 8;
/** Variables that other parts of the process read. */
const FOREIGN = /^(OTEL|NODE|NPM|UV)_/;

/**
 * Describes variables that have no effect: in `.env` every name that no setting has, elsewhere in the environment those
 * that come close to one.
 */
export function misspeltSettings(inFile: readonly string[], elsewhere: readonly string[]): string[] {
  const names = [...allSettings().values()].flat().flatMap(({ name }) => [name, `${name}${FILE_SUFFIX}`]);
  const isUnknown = (name: string): boolean => !names.includes(name) && !FOREIGN.test(name);
  const guess = (name: string): string | undefined =>
    closestMatch(name.toUpperCase(), names, { maxDistance: 2 });
  const close = elsewhere.filter((name) => name.length >= LONG && !inFile.includes(name) && guess(name));
  return [...inFile, ...close].filter(isUnknown).map((name) => {
    const meant = guess(name);
    return `${name} has no effect: no setting has this name.${meant ? ` Did you mean ${meant}?` : ''}`;
  });
}
