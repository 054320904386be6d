// A process of `npm run dev`. Loading packages takes most of a start, so a standby process preloads them. After a change
// it loads the code, and starts the service once the previous process has exited.
process.setSourceMapsEnabled(true);
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the parent died

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
