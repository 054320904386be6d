import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command to its end. Signals that arrive meanwhile are passed on to it, so that stopping this process
 * never leaves the command behind. What it writes to pipes is collected in `output`. A command that cannot be
 * started ends with 127, as in a shell.
 */
export function runChild(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    let output = '';
    let interrupted = null;
    const passOn = (signal) => {
      interrupted = signal;
      child.kill(signal);
    };
    for (const signal of stopSignals) process.on(signal, passOn);
    const release = () => {
      for (const signal of stopSignals) process.off(signal, passOn);
    };

    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.on('error', (error) => {
      release();
      resolve({
        code: 127,
        interrupted,
        output: `Cannot run ${command} (${error.code}): is it installed, and spelled as it should be?`,
      });
    });
    child.on('close', (code, signal) => {
      release();
      resolve({ code: code ?? 128 + constants.signals[signal], interrupted, output });
    });
  });
}

/** Ends as the child ended. A signal is raised again: that is how shells and supervisors know a process was stopped. */
export function endLike({ code, interrupted }) {
  if (interrupted) process.kill(process.pid, interrupted);
  else process.exitCode = code;
}
