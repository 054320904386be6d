import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/public.decorator.js';
import { unavailable } from '../common/errors/api-error.js';
import { Shutdown } from '../common/http/shutdown.js';
import { Database } from '../database/database.js';
import { DatabaseOutage } from '../database/outage.js';

/** For load balancers and supervisors; not a part of the described interface. */
@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
  ) {}

  /** The process runs. Restart it when this fails. */
  @Get('live')
  @Header('cache-control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** The process can answer. Send it no requests while this fails. */
  @Get('ready')
  @Header('cache-control', 'no-store')
  async ready(): Promise<{ status: string }> {
    if (this.shutdown.hasBegun) throw unavailable('The service is about to end.');
    await this.database.ping().catch((error: unknown) => {
      throw unavailable(error instanceof DatabaseOutage ? error.message : 'The database does not answer.');
    });
    return { status: 'ok' };
  }
}
