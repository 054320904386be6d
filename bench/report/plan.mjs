/** What matters of a plan in the form that `auto_explain` logs. The first line about buffers covers the whole statement. */
export function readPlan(text) {
  const [buffers] = /Buffers: shared .*/.exec(text);
  return {
    statement: /Query Text: (.*)/.exec(text)[1],
    index: /Index.* Scan using (\S+)/.exec(text)?.[1] ?? '–',
    buffers: [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    discarded: Number(/Rows Removed by Filter: (\d+)/.exec(text)?.[1] ?? 0),
  };
}
