import type { IncomingMessage } from 'node:http';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { checkBody, checkPath, checkQuery } from '../api/validation/check-input.js';
import { readJsonBody } from './json-body.js';
import { onceAdmitted } from './in-flight-requests.js';

/** Validates the input of every handler. The body is read only here, after the guards. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (!metatype) return value;
    if (type === 'query') return checkQuery(metatype, value as object);
    if (type === 'param') return checkPath(metatype, value as object);
    if (type !== 'body') return value;
    const request = value as IncomingMessage;
    const body = onceAdmitted(request, readJsonBody(request));
    return body instanceof Promise
      ? body.then((read: object) => checkBody(metatype, read))
      : checkBody(metatype, body);
  }
}
