import type { Type } from '@nestjs/common';
import { AppModule } from '../../../src/app.module.js';

/** Adds a module to the application of this test file, as `src/app.module.ts` adds features. */
export function addModule(module: Type): void {
  const imports = Reflect.getMetadata('imports', AppModule) as Type[];
  Reflect.defineMetadata('imports', [...imports, module], AppModule);
}
