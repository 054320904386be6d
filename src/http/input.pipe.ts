import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import type { RequestBody } from '../api/body.js';
import { ApiError } from '../api/errors.js';
import { readInput } from '../api/field-reader.js';
import { JsonError, parseJsonObject } from '../common/json.js';

/** Turns what a handler takes into an instance of its class, or throws the error that names the first fault. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || !metatype) return value;
    if (type !== 'body') return readInput(metatype, value as Record<string, unknown>, type);
    const bytes = (value as RequestBody).read();
    const read = (body: Buffer) => readInput(metatype, parse(body), 'body');
    return bytes instanceof Promise ? bytes.then(read) : read(bytes);
  }
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('invalid_json', error.message);
    throw error;
  }
}
