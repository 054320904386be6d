import { type Output, runAsCommand } from '../cli/run-as-command.js';
import { USAGE } from './cli/arguments.js';
import { type Command, parseCommand } from './cli/commands.js';

await runAsCommand(() => {
  const command = parseCommand(process.argv.slice(2));
  return command ? run(command) : USAGE;
});

/** Imports the application only for a valid command, which keeps usage errors instant. */
async function run(command: Command): Promise<string | Output> {
  const [{ withFeature }, { AuthModule }, { KeysService }] = await Promise.all([
    import('../cli/with-feature.js'),
    import('./auth.module.js'),
    import('./keys.service.js'),
  ]);
  return withFeature(AuthModule, (context) => command(context.get(KeysService)));
}
