import { expect } from '@jest/globals';
import { type ErrorCode, ERRORS } from '../../../src/api/errors/error-catalogue.js';
import type { Answer } from './client.js';

/** Asserts a refusal as a whole: status, body with exactly its three members, and the headers of every answer. */
export function expectError(answer: Answer, code: ErrorCode, message: unknown = expect.any(String)): void {
  const { status } = ERRORS[code];
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { code, message, status } });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
  });
}

/** Asserts the status and the whole body of a success. */
export function expectAnswer(answer: Answer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
  });
}
