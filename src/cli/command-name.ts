import { existsSync } from 'node:fs';

/** What to type for a program in messages: the image contains neither npm nor the scripts that it would run. */
export function commandName(script: string, program: string): string {
  return existsSync('scripts/run.mjs') ? `npm run ${script} --` : `node dist/${program}.js`;
}
