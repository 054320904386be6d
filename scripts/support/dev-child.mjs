// One process of `npm run dev`. Loading the packages is most of a start, so a process loads them ahead and waits to be
// needed; it then loads the code, and starts the service once the process before it has gone.
process.setSourceMapsEnabled(true);
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); // nobody is left to stop it

const tasks = {
  preload: (packages) => Promise.allSettled(packages.map((name) => import(name))),
  load: (url) => import(url),
  start: (url) => import(url),
};
process.on('message', async ([task, argument]) => {
  try {
    await tasks[task](argument);
    process.send([task]);
  } catch (error) {
    process.send([task, error.stack ?? String(error)]);
  }
});
