// The upper bound of Node.js: a constant page of 20, without a database or a framework.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const known = new Set([process.env.KEY_HASH]);
const page = Buffer.from(
  JSON.stringify(
    Array.from({ length: 20 }, (_, i) => ({
      id: i + 1,
      name: `Animal ${i + 1}`,
      categoryId: (i % 50) + 1,
      status: 'available',
    })),
  ),
);
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': page.length };

createServer((request, response) => {
  const [, token = ''] = (request.headers.authorization ?? '').split(' ');
  if (known.has(createHash('sha256').update(token).digest('base64'))) {
    response.writeHead(200, headers).end(page);
  } else {
    response.writeHead(401).end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
