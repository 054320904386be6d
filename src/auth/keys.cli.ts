import { runAsCommand } from '../cli/run-as-command.js';
import { type Command, readCommand } from './cli/command-line.js';
import { USAGE } from './cli/usage.js';

await runAsCommand(() => {
  const command = readCommand(process.argv.slice(2));
  return command.name === 'help' ? USAGE : run(command);
});

/** Imports the application only for a valid command, which keeps usage errors instant. */
async function run(command: Exclude<Command, { name: 'help' }>): Promise<string> {
  const [{ withFeature }, { AuthModule }, { KeysService }, { runCommand }] = await Promise.all([
    import('../cli/with-feature.js'),
    import('./auth.module.js'),
    import('./keys.service.js'),
    import('./cli/run-command.js'),
  ]);
  return withFeature(AuthModule, (context) => runCommand(command, context.get(KeysService)));
}
