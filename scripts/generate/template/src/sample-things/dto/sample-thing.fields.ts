import { Field } from '../../api/validation/field.decorator.js';
import { text } from '../../api/validation/rule.js';

/** The rules of the fields, shared by input and output. */
export const SampleThingName = () =>
  Field(text({ minLength: 1, maxLength: 255 }), {
    description: 'The name of the sample thing.',
    example: 'Sample',
  });
