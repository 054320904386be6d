const WIDTH = 30;

/** Draws a progress bar on a terminal, and nothing elsewhere. */
export function progressBar(total: number, stream: NodeJS.WriteStream): (done: number) => void {
  if (!stream.isTTY) return () => {};
  return (done) => {
    const filled = Math.round((done / total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    stream.write(
      `\r${bar} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${done === total ? '\n' : ''}`,
    );
  };
}
