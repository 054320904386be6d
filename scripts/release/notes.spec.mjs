import { describe, expect, it } from '@jest/globals';
import { releaseNotes, versionsOfCheckout } from './notes.mjs';

const changelog = `# Changelog

## [Unreleased]

- Later

## [1.2.0] - 2026-11-22

### Added

- A chart

## [1.1.0] - 2026-10-01

- Earlier
`;
const versions = { 'package.json': '1.2.0' };

describe('releaseNotes', () => {
  it('are the section of the tag', () => {
    expect(releaseNotes('v1.2.0', versions, changelog)).toBe('### Added\n\n- A chart\n');
  });

  it('name each place that has another version', () => {
    const others = { 'package.json': '1.2.0', 'Chart.yaml': '1.1.0' };
    expect(() => releaseNotes('v1.2.0', others, changelog)).toThrow(
      'The tag v1.2.0 cannot be released:\nChart.yaml has 1.1.0',
    );
  });

  it.each([
    ['is missing', changelog.replace('[1.2.0]', '[1.2.1]')],
    ['has no day', changelog.replace(' - 2026-11-22', '')],
    ['is empty', changelog.replace('- A chart', '')],
  ])('refuse a tag whose section %s', (_, text) => {
    expect(() => releaseNotes('v1.2.0', versions, text)).toThrow('CHANGELOG.md has no section "## [1.2.0]');
  });
});

describe('The checkout', () => {
  it('has one version', () => {
    const versions = versionsOfCheckout();
    for (const [place, version] of Object.entries(versions)) {
      expect({ place, version }).toEqual({ place, version: versions['package.json'] });
    }
  });
});
