import type { OpenAPIObject } from '@nestjs/swagger';

/** The parts of a document, named after the specification; the library exports only the whole. */
export type ComponentsObject = NonNullable<OpenAPIObject['components']>;
export type HeadersObject = NonNullable<ComponentsObject['headers']>;
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponseObject = Exclude<NonNullable<OperationObject['responses'][string]>, ReferenceObject>;
export type RequestBodyObject = Exclude<NonNullable<OperationObject['requestBody']>, ReferenceObject>;
export type SchemaObject = Exclude<NonNullable<ComponentsObject['schemas']>[string], ReferenceObject>;
/** Named examples, as the document and Swagger UI show them. */
export type Examples = Record<string, { summary: string; value: unknown }>;
export interface ReferenceObject {
  $ref: string;
}
