import { runAsCommand } from '../cli/run-as-command.js';
import { readSeedCommand, USAGE } from './seed/command-line.js';

await runAsCommand(() => {
  const command = readSeedCommand(process.argv.slice(2));
  return 'help' in command ? USAGE : seedPets(command);
});

/** Imports the application only for a valid command, which keeps usage errors instant. */
async function seedPets({ count, seed }: { count: number; seed: number }): Promise<string> {
  const [{ withFeature }, { PetsModule }, { DataSource }, { makeAnimals }, { addAnimals }, { progressBar }] =
    await Promise.all([
      import('../cli/with-feature.js'),
      import('./pets.module.js'),
      import('typeorm'),
      import('./seed/animals.js'),
      import('./seed/add-animals.js'),
      import('./seed/progress-bar.js'),
    ]);
  return withFeature(PetsModule, async (context) => {
    const began = performance.now();
    await addAnimals(context.get(DataSource), makeAnimals(count, seed), progressBar(count, process.stderr));
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    return `Added ${count} animals of seed ${seed} in ${seconds} s.`;
  });
}
