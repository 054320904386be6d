import { expect } from '@jest/globals';
import { type ErrorCode, type ErrorKind, kindOf } from '../../../src/api/errors/error-catalogue.js';
import type { Answer } from './client.js';

/** Asserts status, the exact Error body and the common headers. */
export function expectError(
  answer: Answer,
  error: ErrorCode | ErrorKind,
  message: unknown = expect.any(String),
): void {
  const { code, status } = typeof error === 'string' ? kindOf(error) : error;
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { code, message, status } });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
  });
}

/** Asserts status, the exact body and the common headers of a success. */
export function expectAnswer(answer: Answer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
  });
}
