import { describe, expect, it } from '@jest/globals';
import { normaliseTarget } from './request-target.js';

describe('normaliseTarget', () => {
  it.each([
    ['/v1/pets?limit=%31', '/v1/pets?limit=%31'],
    ['/%76%31/%70ets?%6cimit=1', '/v1/pets?%6cimit=1'],
    ['/%7Euser/%2D%2e%5F', '/~user/-._'],
    ['/v1%2fpets%3f%00%25', '/v1%2fpets%3f%00%25'],
    ['/%25%37%30', '/%2570'],
    ['/%%37%30', '/%%37%30'],
    ['/%zz%31', '/%zz%31'],
    ['/%', '/%'],
    ['http://x/v1/pets?a=http://y/z', '/v1/pets?a=http://y/z'],
    ['HTTPS://x:1', '/'],
    ['http://x?a=1', '/?a=1'],
    ['*', '/*'],
    ['example.com:443', '/example.com:443'],
    ['ftp://x/v1/pets', '/ftp://x/v1/pets'],
    ['', '/'],
  ])('normalises %j to %j', (target, normal) => {
    expect(normaliseTarget(target)).toBe(normal);
  });
});
