import { type ArgumentMetadata, Injectable, type PipeTransform, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { ApiError } from './errors.js';
import { type Field, FIELD, fieldsOf } from './field.js';
import { parseJsonObject } from './json.js';

type Plain = Readonly<Record<string, unknown>>;
type Source = 'body' | 'query' | 'param';

const ONLY_FIELDS = 'only-fields';

/**
 * For frequent requests: says that a class has no decorators of class-transformer beside its fields, so that the pipe skips
 * that package. A decorator that is there after all is silently ignored, because class-transformer cannot list them.
 */
export const OnlyFields = () => SetMetadata(ONLY_FIELDS, true);

/** Turns what a handler takes into an instance of its class. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || !metatype) return value;
    if (type !== 'body') return readInput(metatype, value as Plain, type);
    try {
      return readInput(metatype, parseJsonObject(value as Buffer), type); // `ChangeGuard` has read the bytes
    } catch (error) {
      // Relies on Nest: it runs the pipes of all parameters at once, and the first error counts. Errors of a body come a
      // moment later, so that a path that cannot exist is always answered with 404.
      return Promise.resolve().then(() => Promise.reject(error as Error));
    }
  }
}

/**
 * Returns an instance, or throws the error that names the first fault: unknown fields before all others. Decorators of
 * class-transformer and class-validator work beside the fields. The fields' own conversions and checks are run here, in a
 * tenth of the time that the packages take. What class-transformer has converted, they leave as it is.
 */
export function readInput<T extends object>(type: Type<T>, given: Plain, source: Source): T {
  const { fields, isTransformed, isValidated } = plans.get(type) ?? makePlan(type);
  const unknown = Object.keys(given).find((name) => !fields.has(name));
  if (unknown !== undefined) throw refusal('unknown', unknown, `Known: ${[...fields.keys()].join(', ')}.`, source);
  const sent = isTransformed ? (plainToInstance(type, given) as Plain) : given;
  const instance = new type();
  for (const [name, field] of fields) {
    const raw = sent[name];
    const value = raw === undefined ? field.default : convert(raw, field, source);
    if (value === undefined && field.optional) continue;
    if (value === undefined) throw refusal('missing', name, `is missing; it must be ${field.expected}`, source);
    if (!field.check(value)) throw refusal('invalid', name, `must be ${field.expected}`, source);
    (instance as Record<string, unknown>)[name] = value;
  }
  const [fault] = isValidated ? validateSync(instance, { skipMissingProperties: true }) : [];
  if (!fault) return instance;
  const [message = 'is not valid'] = Object.values(fault.constraints ?? {});
  throw refusal('invalid', fault.property, message.replace(`${fault.property} `, ''), source);
}

const TAKEN = new Set([RouteParamtypes.BODY, RouteParamtypes.QUERY, RouteParamtypes.PARAM].map(String));

/** Fails at the start, not at the first request, if a class that a handler takes cannot be read. Relies on Nest's metadata. */
export const checkInput: MethodDecorator = (controller, name) => {
  const types = Reflect.getMetadata('design:paramtypes', controller, name) as Type[];
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, name) ?? {};
  for (const [key, { index }] of Object.entries(parameters as Record<string, { index: number }>))
    if (TAKEN.has(key.split(':', 1)[0]!)) makePlan(types[index]!);
};

const plans = new Map<Type, ReturnType<typeof makePlan>>();

function makePlan(type: Type) {
  const fields = fieldsOf(type);
  const checks = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const undeclared = checks.find(({ propertyName }) => !fields.has(propertyName));
  if (undeclared) throw new Error(`${type.name}.${undeclared.propertyName} needs a decorator of src/api/fields.ts.`);
  if (fields.size === 0)
    throw new Error(`${type.name} has no fields: declare them with the decorators of src/api/fields.ts.`);
  const isTransformed = !Reflect.hasOwnMetadata(ONLY_FIELDS, type);
  const isValidated = checks.some(({ name, type: kind }) => name !== FIELD && kind !== 'conditionalValidation');
  const plan = { fields, isTransformed, isValidated };
  plans.set(type, plan);
  return plan;
}

function convert(value: unknown, { fromJson, fromText, list }: Field, source: Source): unknown {
  if (source === 'body') return fromJson ? fromJson(value) : value;
  // Repeated parameters arrive as an array, which is a fault except for a list.
  const isList = list && Array.isArray(value) && value.every((each) => typeof each === 'string');
  const text = isList ? value.join(',') : value;
  return fromText && typeof text === 'string' ? fromText(text) : text;
}

/** `says` completes the sentence "The field "name" …". No resource can exist at a path with an invalid parameter. */
function refusal(kind: 'unknown' | 'missing' | 'invalid', name: string, says: string, source: Source): ApiError {
  if (source === 'param') return new ApiError('not_found');
  const subject = `${source === 'body' ? 'field' : 'parameter'} ${JSON.stringify(name.slice(0, 50))}`; // it can have any length
  const message = kind === 'unknown' ? `There is no ${subject}. ${says}` : `The ${subject} ${says}.`;
  if (source === 'body') return new ApiError(`${kind}_field`, message);
  return new ApiError(kind === 'unknown' ? 'unknown_parameter' : 'invalid_parameter', message);
}
