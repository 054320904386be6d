import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { replyOf, requestOf } from '../../common/exchange.js';
import { sendError } from './send-error.js';

/** The last word on every failure inside the application. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    sendError(thrown, requestOf(host), replyOf(host));
  }
}
