const WIDTH = 760;
const LEFT = 250;
const BAR = 16;
const GROUP_GAP = 26;
const RIGHT = 60;

/** Colours that are legible on white and black, and differ in brightness for colour-blind readers. */
const COLOURS = {
  service: '#2f81f7',
  fastify: '#8b949e',
  go: '#00add8',
  rust: '#b7410e',
  express: '#d29922',
};
const INK = '#768390';

/** Draws requests per second relative to the hand-written peer, whose bar is always 1. */
export function chart({ workloads }, caption) {
  const bars = workloads.map(({ title, lines }) => ({
    title,
    lines: lines.filter(({ name }) => name in COLOURS),
  }));
  const longest = Math.max(...bars.flatMap(({ lines }) => lines.map(({ toHand }) => toHand.high)));
  const scale = (WIDTH - LEFT - RIGHT) / longest;
  const parts = [legend(bars[0].lines, 20)];
  let y = 50;
  for (const { title, lines } of bars) {
    parts.push(text(LEFT - 10, y + (lines.length * BAR) / 2 + 4, title, 'end'));
    for (const line of lines) {
      parts.push(bar(line, y, scale));
      y += BAR;
    }
    y += GROUP_GAP;
  }
  parts.push(text(10, y, caption, 'start'));
  const size = `width="${WIDTH}" height="${y + 16}" viewBox="0 0 ${WIDTH} ${y + 16}"`;
  const label = 'Requests per second as ratios to the peer written by hand';
  const style = 'font-family="system-ui, sans-serif" font-size="12"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style} role="img" aria-label="${label}">\n${parts.join('\n')}\n</svg>\n`;
}

function bar({ name, toHand }, y, scale) {
  const [end, low, high] = [toHand.median, toHand.low, toHand.high].map((ratio) => LEFT + ratio * scale);
  const middle = y + (BAR - 3) / 2;
  const whisker = `<path d="M${low.toFixed(1)} ${middle}H${high.toFixed(1)}" stroke="${INK}" stroke-width="1.5"/>`;
  return [
    `<rect x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${BAR - 3}" fill="${COLOURS[name]}"/>`,
    whisker,
    text(Math.max(end, high) + 6, middle + 4, toHand.median.toFixed(2), 'start'),
  ].join('');
}

function legend(lines, y) {
  return lines
    .map(({ name, title }, i) => {
      const x = LEFT + i * 100;
      return `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${COLOURS[name]}"/>${text(x + 18, y, title, 'start')}`;
    })
    .join('');
}

function text(x, y, content, anchor) {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${INK}">${escaped}</text>`;
}
