import type { paths } from './openapi.js';
import type { CallOptions } from './settings.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The paths that have an operation of this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [L in Lowercase<M>]: object } ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends PathOf<M>> = paths[P][Lowercase<M>];

/** What a call takes: `path`, `query` and `body`, as far as the operation has them, and options. */
export type RequestOf<M extends Method, P extends PathOf<M>> = CallOptions & Input<Operation<M, P>>;
type Input<O> = O extends { readonly parameters: infer Parameters } ? Parameters & Body<O> : never;
type Body<O> = O extends { readonly requestBody: infer B } ? { readonly body: Content<B> } : { readonly body?: never };

/** What a call returns: the body of a success. */
export type ResultOf<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { readonly responses: infer All } ? Content<All[keyof All]> : never;
type Content<T> = T extends { readonly content: infer Types } ? Types[keyof Types] : void;

/** The items of a list. */
export type ItemOf<P extends PathOf<'GET'>> =
  ResultOf<'GET', P> extends readonly (infer Item extends { readonly id: bigint })[] ? Item : never;
export type ListPath = { [P in PathOf<'GET'>]: ItemOf<P> extends never ? never : P }[PathOf<'GET'>];

/** An argument that may be left out if nothing in it is required. */
export type Argument<T> = object extends T ? [argument?: T] : [argument: T];
