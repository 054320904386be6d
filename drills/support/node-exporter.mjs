import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/support/free-port.mjs';
import { requireTool } from '../../scripts/support/tool.mjs';

const MIB = 1_048_576;
const SIZE_MIB = 16;
const FILLED_MIB = 15;

/** A file system of its own, and a node exporter that sees no other: the machine's disks may be full already. */
export async function startNodeExporter(drill) {
  requireTool(drill, 'prometheus-node-exporter');
  const folder = mkdtempSync(join(tmpdir(), 'drill-node-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [disk, proc] = [join(folder, 'disk'), join(folder, 'proc')];
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'drill', disk]);
  drill.defer(() => execFileSync('umount', [disk]));
  mkdirSync(join(proc, '1'), { recursive: true });
  writeFileSync(join(proc, '1', 'mounts'), `drill ${disk} tmpfs rw 0 0\n`);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--web.listen-address=${address}`, `--path.procfs=${proc}`, '--log.level=error'];
  const only = ['--collector.disable-defaults', '--collector.filesystem'];
  const child = spawn('prometheus-node-exporter', [...args, ...only], { stdio: 'ignore' });
  drill.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const file = join(disk, 'file');
  return {
    address,
    fill: () => writeFileSync(file, Buffer.alloc(FILLED_MIB * MIB)),
    empty: () => rmSync(file),
  };
}
