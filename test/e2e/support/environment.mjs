import { TestEnvironment } from 'jest-environment-node';

/** What the end-to-end tests add to Jest: a failure shows its last exchange, and what needs the inside is skipped. */
export default class EndToEndEnvironment extends TestEnvironment {
  handleTestEvent(event) {
    if (event.name === 'test_start') this.global.showLastExchange = undefined;
    if (event.name === 'test_fn_failure') this.#showExchange(event.error);
    if (event.name === 'test_done') skipWithoutInside(event.test);
  }

  async teardown() {
    for (const stop of this.global.runningServices ?? []) await stop();
    await super.teardown();
  }

  #showExchange(error) {
    const exchange = this.global.showLastExchange?.();
    if (!exchange || typeof error?.stack !== 'string') return;
    const shown = `The last request and its answer:\n\n${exchange.replaceAll(/^/gm, '    ')}\n`;
    const frames = error.stack.search(/^\s+at /m);
    const end = frames < 0 ? error.stack.length : frames;
    error.stack = `${error.stack.slice(0, end).trimEnd()}\n\n${shown}\n${error.stack.slice(end)}`;
  }
}

/** Against a running deployment: whatever failed after it, for want of what was not there, is no failure either. */
function skipWithoutInside(test) {
  const need = test.errors.flat().find((error) => error?.name === 'NeedsTheInside');
  if (!need) return;
  test.errors = [];
  test.status = 'skip';
  test.name = `${test.name} (${need.message})`;
}
