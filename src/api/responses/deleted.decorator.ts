import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiNoContentResponse } from '@nestjs/swagger';
import { ANY_FOREIGN_KEY, declareError } from '../errors/declare-error.js';
import { Refuses } from '../errors/refuses.decorator.js';
import { Repeatable } from './repeatable.decorator.js';

export const inUse = declareError('in_use', {
  status: 409,
  when: 'Other resources refer to this one.',
  advice: 'Delete those first.',
  onConstraint: ANY_FOREIGN_KEY,
});

/** Answers a DELETE with 204 and no body, or with 409 while a foreign key of another feature refers to the row. */
export function Deleted(options: { description: string }): MethodDecorator {
  return applyDecorators(HttpCode(204), Repeatable(), ApiNoContentResponse(options), Refuses(inUse));
}
