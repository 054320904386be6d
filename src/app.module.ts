import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiModule } from './api/api.module.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import type { Clock } from './common/clock.js';
import { CommonModule } from './common/common.module.js';
import type { Config } from './common/config/config.js';
import type { DatabaseConnection } from './database/connection.js';
import { DatabaseModule } from './database/database.module.js';
import { toOutage } from './database/database-errors.js';
import { EdgeModule } from './edge/edge.module.js';
import { ERROR_TRANSLATION, ErrorFilter } from './edge/errors/error.filter.js';
import { FairShareGuard } from './edge/fair-share.guard.js';
import { InputPipe } from './edge/input.pipe.js';
import { HealthModule } from './health/health.module.js';
import { MetricsServer } from './edge/metrics-server.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { PetsModule } from './pets/pets.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';

/** Features go here. `forRoot` adds the shared rooms, and the guards, pipe and filter of every route. */
@Module({
  imports: [PetsModule],
})
export class AppModule {
  static forRoot(config: Config, clock: Clock, connection: DatabaseConnection): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CommonModule.forRoot(config, clock),
        ObservabilityModule,
        ApiModule,
        DatabaseModule.forRoot(connection),
        RateLimitModule,
        EdgeModule,
        AuthModule,
        HealthModule,
      ],
      providers: [
        MetricsServer,
        // Guards run in this order. Guards of an operation come last.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: FairShareGuard },
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: ERROR_TRANSLATION, useValue: toOutage },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
