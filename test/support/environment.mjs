import { TestEnvironment } from 'jest-environment-node';

/** Adds to the message of a failed test the last exchange over HTTP and the last error that the service logged. */
export default class Environment extends TestEnvironment {
  async handleTestEvent({ name, error }) {
    if (name === 'test_start') this.global.lastSeen = {};
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const { exchange, loggedError } = this.global.lastSeen ?? {};
    const shown = [exchange?.(), loggedError].filter(Boolean).join('\n\nLogged: ');
    if (!shown || typeof error?.stack !== 'string') return;
    const frames = error.stack.search(/^\s+at /m);
    const end = frames < 0 ? error.stack.length : frames;
    error.stack = `${error.stack.slice(0, end)}\n${shown}\n\n${error.stack.slice(end)}`;
  }
}
