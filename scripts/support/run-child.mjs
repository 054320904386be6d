import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command to its end. Forwards signals, so that stopping this process also stops the command. Piped output is
 * collected in `output`. A command that cannot be started ends with 127, as in a shell.
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
        output: `Cannot run ${command} (${error.code}): check that it is installed and spelled correctly.`,
      });
    });
    child.on('close', (code, signal) => {
      release();
      resolve({ code: code ?? 128 + constants.signals[signal], interrupted, output });
    });
  });
}

/** Ends like the child. Raises its signal again, so that shells and supervisors see that the process was stopped. */
export function endLike({ code, interrupted }) {
  if (interrupted) process.kill(process.pid, interrupted);
  else process.exitCode = code;
}
