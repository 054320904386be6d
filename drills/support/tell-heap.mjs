// Loaded into the service before it starts (`node --expose-gc --import …`): tells the drill, whenever it asks, how much
// the heap holds once everything that nobody needs is gone.
process.on('message', () => {
  globalThis.gc();
  globalThis.gc(); // what had a finaliser goes the second time
  process.send({ heapUsed: process.memoryUsage().heapUsed });
});
process.channel.unref(); // it must not keep the service from ending
