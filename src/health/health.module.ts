import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** Liveness and readiness probes. The checks themselves belong to the rooms that are checked. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
