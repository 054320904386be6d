import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import type { Clock } from './common/clock.js';
import { CommonModule } from './common/common.module.js';
import { Config } from './common/config/config.js';
import { ErrorFilter } from './common/errors/error.filter.js';
import { MetricsServer } from './common/metrics/metrics-server.js';
import { RateLimitGuard } from './common/rate-limit/rate-limit.guard.js';
import { RateLimits } from './common/rate-limit/rate-limits.js';
import { InputPipe } from './common/validation/input.pipe.js';
import type { DatabaseConnection } from './database/connection.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { PetsModule } from './pets/pets.module.js';

/** The features of the service; below, what they stand on, and what holds for every route. */
@Module({
  imports: [PetsModule],
})
export class AppModule {
  static forRoot(config: Config, clock: Clock, connection: DatabaseConnection): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CommonModule.forRoot(config, clock),
        DatabaseModule.forRoot(connection),
        AuthModule,
        HealthModule,
      ],
      providers: [
        { provide: RateLimits, inject: [Config], useFactory: (config: Config) => RateLimits.start(config) },
        MetricsServer,
        // The order of the guards is that of the checks: the key, then its rate. Guards of an operation come after them.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
