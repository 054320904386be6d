import { type Rule, scalar } from './rule.js';

/** True or false. With `only`, the other one is refused. */
export function boolean(): Rule<boolean>;
export function boolean<const T extends boolean>(options: { only: T }): Rule<T>;
export function boolean({ only }: { only?: boolean } = {}): Rule<boolean> {
  const taken = only === undefined ? [true, false] : [only];
  return scalar({
    schema: { type: 'boolean', ...(only !== undefined && { enum: [only] }) },
    expected: taken.join(' or '),
    fromJson: (value) => taken.find((each) => each === value),
    fromText: (text) => taken.find((each) => String(each) === text),
  });
}
