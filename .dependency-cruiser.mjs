/**
 * The law of imports, by pattern: a new feature is under it from its first file on. CONTRIBUTING.md draws the same
 * arrows.
 *
 * A room that features share, and the shared rooms it may import. Any other folder of src is a feature.
 */
const SHARED = {
  common: [],
  observability: ['common'],
  api: ['observability', 'common'],
  database: ['api', 'observability', 'common'],
  'rate-limit': ['api', 'observability', 'common'],
  edge: ['rate-limit', 'api', 'observability', 'common'],
  cli: ['database', 'api', 'observability', 'common'],
};

const inside = (rooms) => `^src/(?:${rooms.join('|')})/`;
const shared = Object.keys(SHARED);

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...shared.map((room) => ({
      name: `${room}-stands-on-what-is-below`,
      severity: 'error',
      comment: `src/${room} may import ${SHARED[room].join(', ') || 'no other room'}.`,
      from: { path: inside([room]) },
      to: { path: '^src/', pathNot: inside([room, ...SHARED[room]]) },
    })),
    {
      name: 'features-meet-at-their-modules',
      severity: 'error',
      comment:
        'A feature imports another through its *.module.ts and *.service.ts, and no file of src itself.',
      from: { path: '^src/([^/]+)/', pathNot: inside([...shared, 'tools']) },
      to: {
        path: '^src/',
        pathNot: ['^src/$1/', inside(shared), '^src/[^/]+/[^/]+\\.(?:module|service)\\.ts$'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
