import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import { checkDeclarations } from './check-declarations.js';
import { PathParameter, QueryParameter } from './field.decorator.js';
import { int64 } from './rule.js';

class Choice {
  @QueryParameter(int64(), {})
  readonly after?: bigint;
}

class Narrower extends Choice {}

class Path {
  @PathParameter(int64(), {})
  readonly toyId!: bigint;
}

const check = (metatype: unknown): void =>
  checkDeclarations({ getControllers: () => [{ metatype }] } as DiscoveryService, new MetadataScanner());

describe('At the start', () => {
  it('a handler may take classes whose properties have rules, also inherited ones', () => {
    @Controller()
    class ToysController {
      @Get()
      listToys(@Query() query: Narrower): unknown {
        return query;
      }

      @Post()
      createToy(@Param() path: Path, @Body() body: Choice): unknown {
        return [path, body];
      }
    }
    expect(() => check(ToysController)).not.toThrow();
  });

  it('a handler that takes anything else is refused, with its name', () => {
    @Controller()
    class OneByOne {
      @Get()
      listToys(@Query('limit') limit: number): unknown {
        return limit;
      }
    }
    @Controller()
    class Untyped {
      @Post()
      createToy(@Body() body: object): unknown {
        return body;
      }
    }
    class Bare {}
    @Controller()
    class WithoutRules {
      @Get()
      getToy(@Param() path: Bare): unknown {
        return path;
      }
    }
    expect(() => check(OneByOne)).toThrow('OneByOne.listToys: @Query must take all its input in one class');
    expect(() => check(Untyped)).toThrow('Untyped.createToy: @Body must');
    expect(() => check(WithoutRules)).toThrow('WithoutRules.getToy: @Param must');
  });

  it('a class with a property that has no rule is refused, with its name', () => {
    class Toy extends Path {
      readonly makerId?: bigint;

      @QueryParameter(int64(), {})
      readonly after?: bigint;
    }
    expect(() => check(class {})).toThrow(`${Toy.name}.makerId has no rule`);
  });
});
