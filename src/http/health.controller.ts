import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { unavailable } from '../api/errors.js';
import { Public } from '../api/public.decorator.js';
import { Database } from '../database/database.js';
import { Shutdown } from './shutdown.js';

/** For load balancers and supervisors, and therefore not part of the OpenAPI document. */
@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
  ) {}

  /** Restart the process when this fails. */
  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Send no requests while this fails. */
  @Get('ready')
  async ready(): Promise<{ status: string }> {
    if (this.shutdown.hasBegun) throw unavailable('The service is about to end.');
    await this.database.check().catch(() => {
      throw unavailable('The database does not answer.');
    });
    return { status: 'ok' };
  }
}
