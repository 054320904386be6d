import { Field } from '../../api/validation/field.decorator.js';
import { text } from '../../api/validation/rule.js';

/** What the fields of a sample thing may be, in one place for what comes in and what goes out. */
export const SampleThingName = () =>
  Field(text({ minLength: 1, maxLength: 255 }), {
    description: 'The name of the sample thing.',
    example: 'Sample',
  });
