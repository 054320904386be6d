import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import type { RequestBody } from '../api/body.js';
import { readInput } from '../api/field-reader.js';
import { parseJsonObject } from '../common/json.js';

/** Turns what a handler takes into an instance of its class, or throws the error that names the first fault. */
@Injectable()
export class InputPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom' || !metatype) return value;
    if (type === 'body') return readInput(metatype, parseJsonObject(await (value as RequestBody).read()), type);
    return readInput(metatype, value as Record<string, unknown>, type);
  }
}
