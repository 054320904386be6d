import { isEmail } from 'class-validator';
import { type Rule, scalar } from './rule.js';

const MAX_LENGTH = 254; // of an address in SMTP

/** An email address, as `@IsEmail()` takes it. */
export function email(): Rule<string> {
  const read = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.isWellFormed()) return undefined;
    return isEmail(value) ? value : undefined;
  };
  return scalar({
    schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH },
    expected: 'an email address, such as rex@example.com',
    fromJson: read,
    fromText: read,
  });
}
