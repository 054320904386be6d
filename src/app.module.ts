import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ApiModule } from './api/api.module.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import type { Clock } from './common/clock.js';
import { CommonModule } from './common/common.module.js';
import type { Config } from './common/config/config.js';
import type { DatabaseConnection } from './database/connection.js';
import { DatabaseModule } from './database/database.module.js';
import { constraintOf, isForeignKeyViolation, toOutage } from './database/database-errors.js';
import { transactionalOperations } from './database/transactions/transactional-operations.js';
import { Transactions } from './database/transactions/transactions.js';
import { EdgeModule } from './edge/edge.module.js';
import { DATABASE_ERRORS, ErrorFilter } from './edge/errors/error.filter.js';
import { FairShareGuard } from './edge/fair-share.guard.js';
import { TransactionTurnGuard } from './edge/transaction-turn.guard.js';
import { TRANSACTIONAL } from './edge/transaction-turns.js';
import { InputPipe } from './edge/input.pipe.js';
import { HealthModule } from './health/health.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { MetricsServer } from './edge/metrics-server.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { PetsModule } from './pets/pets.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { OrdersModule } from './orders/orders.module.js';

/** Features go here. `forRoot` adds the shared rooms, and the guards, pipe and filter of every route. */
@Module({
  imports: [PetsModule, OrdersModule],
})
export class AppModule {
  static forRoot(
    config: Config,
    clock: Clock,
    connection: DatabaseConnection,
    features: Type[],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        CommonModule.forRoot(config, clock),
        ObservabilityModule,
        ApiModule,
        DatabaseModule.forRoot(connection),
        RateLimitModule,
        EdgeModule,
        AuthModule,
        HealthModule,
        IdempotencyModule,
        ...features,
      ],
      providers: [
        MetricsServer,
        // Guards run in this order. Guards of an operation come last.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: FairShareGuard }, // in front of one that may wait for Redis
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: TransactionTurnGuard },
        {
          provide: TRANSACTIONAL,
          inject: [DiscoveryService, Transactions],
          useFactory: (discovery: DiscoveryService, transactions: Transactions) =>
            transactionalOperations(discovery, connection, transactions),
        },
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: DATABASE_ERRORS, useValue: { toOutage, constraintOf, isForeignKeyViolation } },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
