// The rules that a field may follow. Each is the schema, the check and the error message of a value.
export type { Decimal } from './rules/decimal.js';
export type { Rule } from './rules/rule.js';
export { boolean } from './rules/boolean.js';
export { dateTime } from './rules/date-time.js';
export { decimal } from './rules/decimal.js';
export { email } from './rules/email.js';
export { listOf } from './rules/list-of.js';
export { nested } from './rules/nested.js';
export { nullable } from './rules/nullable.js';
export { int64, integer } from './rules/numbers.js';
export { oneOf } from './rules/one-of.js';
export { text } from './rules/text.js';
