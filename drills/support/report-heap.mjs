// Preloaded into the service (`node --expose-gc --import …`): reports the heap size after a major GC when the drill asks.
process.on('message', () => {
  globalThis.gc();
  globalThis.gc(); // objects with finalisers are freed by the second one
  process.send({ heapUsed: process.memoryUsage().heapUsed });
});
process.channel.unref(); // must not keep the service alive
