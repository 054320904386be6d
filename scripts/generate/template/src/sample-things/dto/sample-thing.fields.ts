import { Field, OptionalField } from '../../api/validation/field.decorator.js';
import {
  boolean,
  dateTime,
  decimal,
  email,
  int64,
  integer,
  nested,
  nullable,
  oneOf,
  text,
} from '../../api/validation/rule.js';
// $fieldImports$

// The fields of a sample thing, shared by input and output.

// $enumerations$

// $declarations$
