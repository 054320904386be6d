import { closeSync, createReadStream, fdatasync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const force = promisify(fdatasync);

/**
 * Records the answers that clients got, with one file per kind and one line per animal. An entry is on disk before the
 * client continues, so the journal is complete.
 */
export class AnimalJournal {
  counts = {};
  #folder;
  #files = {};

  constructor(folder) {
    this.#folder = folder;
  }

  async write(kind, entry) {
    const file = (this.#files[kind] ??= openSync(this.#path(kind), 'a'));
    writeSync(file, `${JSON.stringify(entry)}\n`);
    await force(file);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  async *read(kind) {
    if (!this.#files[kind]) return;
    for await (const line of createInterface(createReadStream(this.#path(kind)))) yield JSON.parse(line);
  }

  close() {
    for (const file of Object.values(this.#files)) closeSync(file);
    this.#files = {};
  }

  #path(kind) {
    return join(this.#folder, `${kind}.jsonl`);
  }
}
