import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { declareError } from './declare-error.js';
import { DeclaredErrors } from './declared-errors.js';

const terms = { status: 409, when: 'The toy is sold.', advice: 'Choose another.' };

describe('declareError', () => {
  it('with a new code makes an error of its terms', () => {
    const toySold = declareError('toy_sold', { ...terms, onConstraint: ['toys_once', 'toys_twice'] });
    expect(toySold()).toBeInstanceOf(ApiError);
    expect(toySold().toJSON()).toEqual({ code: 'toy_sold', message: 'The toy is sold.', status: 409 });
    expect(toySold('Sold today.')).toMatchObject({ message: 'Sold today.' });
    expect(toySold.constraints).toEqual(['toys_once', 'toys_twice']);
  });

  it('with a code of the catalogue changes nothing but the message', () => {
    const noSuchMaker = declareError('invalid_field', { message: 'No such maker.' });
    expect(noSuchMaker().toJSON()).toEqual({ code: 'invalid_field', message: 'No such maker.', status: 400 });
    // @ts-expect-error: the status of a catalogue's code is fixed
    declareError('invalid_field', { status: 409, message: 'No such maker.' });
  });

  it('is the only way to a new code', () => {
    // @ts-expect-error: not declared
    expect(() => new ApiError('toy_sold')).toThrow(TypeError);
    // @ts-expect-error: no status
    declareError('toy_lost', { when: 'The toy is lost.', advice: 'Look for it.' });
  });

  it('is refused when two declarations of a code differ', () => {
    const declared = (...errors: ReturnType<typeof declareError>[]) =>
      new DeclaredErrors({ metadata: () => new Map([['sellToy', errors]]) } as never);
    const [one, same] = [declareError('toy_sold', terms), declareError('toy_sold', terms)];
    const codes = declared(one, same)
      .allKinds()
      .map(({ code }) => code);
    expect(codes.filter((code) => code === 'toy_sold')).toHaveLength(1);
    const other = declareError('toy_sold', { ...terms, status: 410 });
    expect(() => declared(one, other).allKinds()).toThrow(
      'The error toy_sold is declared twice, with different terms. Declare it once.',
    );
  });
});
