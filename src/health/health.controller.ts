import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import { Public } from '../api/public.decorator.js';
import { unavailable } from '../api/errors/api-error.js';
import { Shutdown } from '../edge/shutdown.js';
import { Database } from '../database/database.js';
import { DatabaseOutage } from '../database/database-errors.js';

const PROBE: FastifyContextConfig = { probe: true };

/** For load balancers and supervisors, and therefore not part of the OpenAPI document. */
@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
  ) {}

  /** Liveness. Restart the process when this fails. */
  @Get('live')
  @RouteConfig(PROBE)
  @Header('cache-control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Readiness. Send no requests while this fails. */
  @Get('ready')
  @RouteConfig(PROBE)
  @Header('cache-control', 'no-store')
  async ready(): Promise<{ status: string; missingNodes?: readonly string[] }> {
    if (this.shutdown.isNoticed) throw unavailable('The service is about to end.');
    await this.database.checkReadiness().catch((error: unknown) => {
      throw unavailable(error instanceof DatabaseOutage ? error.message : 'The database does not answer.');
    });
    const { missingNodes } = this.database;
    return missingNodes.length > 0 ? { status: 'ok', missingNodes } : { status: 'ok' };
  }
}
