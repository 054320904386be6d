import type { OpenAPIObject } from '@nestjs/swagger';

/** The objects of the OpenAPI specification. @nestjs/swagger exports only `OpenAPIObject`. */
export type ComponentsObject = NonNullable<OpenAPIObject['components']>;
export type HeadersObject = NonNullable<ComponentsObject['headers']>;
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], ReferenceObject>;
export type ResponseObject = Exclude<NonNullable<OperationObject['responses'][string]>, ReferenceObject>;
export type RequestBodyObject = Exclude<NonNullable<OperationObject['requestBody']>, ReferenceObject>;
export type SchemaObject = Exclude<NonNullable<ComponentsObject['schemas']>[string], ReferenceObject>;
/** Named examples of a request or response body. */
export type Examples = Record<string, { summary: string; value: unknown }>;
export interface ReferenceObject {
  $ref: string;
}
