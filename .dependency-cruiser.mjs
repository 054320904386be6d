/**
 * The import rules of src: main → app → features → http → api → database → common. They match folders by pattern, and so
 * cover a new feature at once. CONTRIBUTING.md draws the same arrows.
 *
 * SHARED lists the shared rooms, each with the rooms that it may import. Every other folder of src is a feature.
 */
const SHARED = {
  common: [],
  database: ['common'],
  api: ['database', 'common'],
  http: ['api', 'database', 'common'],
};

const inside = (rooms) => `^src/(?:${rooms.join('|')})/`;
const shared = Object.keys(SHARED);

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...shared.map((room) => ({
      name: `${room}-imports-lower-rooms-only`,
      severity: 'error',
      comment: `src/${room} may import ${SHARED[room].join(', ') || 'no other room'}.`,
      from: { path: inside([room]) },
      to: { path: '^src/', pathNot: inside([room, ...SHARED[room]]) },
    })),
    {
      name: 'features-import-modules-and-services-only',
      severity: 'error',
      comment: 'A feature may import the *.module.ts and *.service.ts of another, and no file at the top of src.',
      from: { path: '^src/([^/]+)/', pathNot: inside(shared) },
      to: {
        path: '^src/',
        pathNot: ['^src/$1/', inside(shared), '^src/[^/]+/[^/]+\\.(?:module|service)\\.ts$'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
