import { runCommand } from '../database/command.js';
import { parseCommand, USAGE } from './keys-command.js';

await runCommand(async () => {
  const command = parseCommand(process.argv.slice(2));
  if (!command) return USAGE;
  // Loaded only for a valid command, so that mistakes are answered at once.
  const [{ withModule }, { AuthModule }, { KeysService }] = await Promise.all([
    import('../database/command.js'),
    import('./auth.module.js'),
    import('./keys.service.js'),
  ]);
  return withModule(AuthModule, (context) => command(context.get(KeysService)));
});
