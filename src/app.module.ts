import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { Registry } from 'prom-client';
import { ApiModule } from './api/api.module.js';
import { InputPipe } from './api/input.pipe.js';
import { ApiKeyGuard, readOnlyKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { Clock } from './common/clock.js';
import { Config } from './common/config.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorFilter } from './http/error.filter.js';
import { HealthController } from './http/health.controller.js';
import { MetricsServer } from './http/metrics-server.js';
import { createRateLimits, RateLimits } from './http/rate-limiter.js';
import { OrdersModule } from './orders/orders.module.js';
import { PetsModule } from './pets/pets.module.js';

/** Add features here. `forRoot` adds the modules that they use, and the guards, the pipe and the filter of every route. */
@Module({ imports: [PetsModule, OrdersModule] })
export class AppModule {
  static forRoot(config: Config, clock: Clock, features: Type[]): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [DatabaseModule, ApiModule, AuthModule, ...features],
      controllers: [HealthController],
      exports: [Config, Clock, Registry],
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
        Registry,
        MetricsServer,
        { provide: RateLimits, inject: [Config], useFactory: createRateLimits },
        // Relies on Nest: guards run in this order, and before those of a single operation.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useExisting: RateLimits },
        { provide: APP_GUARD, useValue: readOnlyKeyGuard },
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
