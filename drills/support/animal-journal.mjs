import { closeSync, createReadStream, fdatasync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const force = promisify(fdatasync);

/**
 * What clients were told, on disk before they go on: one file for each kind, one line for each animal. What is not
 * in a journal was not told.
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
