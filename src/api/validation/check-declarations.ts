import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { declaredTypes, readerOf } from './reader.js';

const DECORATORS: Record<number, string> = {
  [RouteParamtypes.BODY]: '@Body',
  [RouteParamtypes.QUERY]: '@Query',
  [RouteParamtypes.PARAM]: '@Param',
};

/** Prepares every reader at the start, which throws for a class that it could not follow. */
export function checkDeclarations(discovery: DiscoveryService, scanner: MetadataScanner): void {
  for (const type of declaredTypes()) readerOf(type);
  for (const { metatype } of discovery.getControllers()) {
    const handlers = metatype?.prototype as object;
    for (const method of scanner.getAllMethodNames(handlers)) checkInput(metatype as Type, handlers, method);
  }
}

interface Argument {
  index: number;
  data?: unknown;
}

function checkInput(controller: Type, handlers: object, method: string): void {
  const types = (Reflect.getMetadata('design:paramtypes', handlers, method) ?? []) as Type[];
  const taken = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Argument
  >;
  for (const [key, { index, data }] of Object.entries(taken)) {
    const decorator = DECORATORS[Number(key.split(':', 1)[0])];
    if (decorator === undefined) continue;
    const type = types[index];
    if (typeof data === 'string' || !type || readerOf(type).names.length === 0) {
      throw new Error(
        `${controller.name}.${method}: ${decorator} must take all its input in one class, whose properties have rules.`,
      );
    }
  }
}
