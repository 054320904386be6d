import { describe, expect, it } from '@jest/globals';
import { Crew } from './crew.js';

const SIZE = 2;
const DEPTH = 5;

/** Workers that do what an event says. They are numbered in the order of their start. */
class Simulation {
  readonly crew = new Crew<number>(SIZE);
  readonly starting: number[] = [];
  readonly retired: number[] = [];
  readonly faults = new Set<string>();
  /** The last worker that was started before the latest renewal. */
  private outdated = 0;
  private last = 0;

  constructor() {
    this.adjust();
  }

  get serving(): number[] {
    return [...this.crew.serving];
  }

  getReady(worker: number | undefined): void {
    if (worker === undefined) return;
    remove(this.starting, worker);
    this.crew.noteReady(worker);
    this.adjust();
  }

  end(worker: number | undefined): void {
    // If the first one does not start, the service ends.
    if (worker === undefined || !this.crew.hasStarted) return;
    remove(this.starting, worker);
    remove(this.retired, worker);
    if (this.crew.noteEnd(worker) === 'starting' && this.crew.giveUpRenewal()) this.outdated = 0;
    this.adjust();
  }

  renew(): void {
    this.outdated = this.last;
    this.crew.renew();
    this.adjust();
  }

  /** Nothing fails any more. */
  settle(): void {
    for (let step = 0; !this.crew.isComplete && step < 100; step++) {
      this.getReady(this.starting[0]);
      this.end(this.retired[0]);
    }
    const number = [...this.serving, ...this.starting, ...this.retired].length;
    if (this.serving.length !== SIZE || number !== SIZE) this.faults.add('a wrong number');
    if (this.serving.some((worker) => worker <= this.outdated)) this.faults.add('not renewed');
  }

  private adjust(): void {
    while (this.crew.isShort) {
      this.crew.noteStart(++this.last);
      this.starting.push(this.last);
    }
    const before = this.serving.length;
    const leaving = this.crew.retireOne();
    if (leaving !== undefined) {
      remove(this.starting, leaving);
      this.retired.push(leaving);
      if (this.serving.length < Math.min(before, SIZE)) this.faults.add('retired too early');
    }
    if (this.starting.length + this.serving.length > SIZE + 1) this.faults.add('too many at a time');
    if (this.retired.length > 1) this.faults.add('several retired at a time');
  }
}

const EVENTS: readonly ((simulation: Simulation) => void)[] = [
  (simulation) => simulation.getReady(simulation.starting[0]),
  (simulation) => simulation.getReady(simulation.starting.at(-1)),
  (simulation) => simulation.getReady(simulation.retired[0]), // its message crosses the order to end
  (simulation) => simulation.end(simulation.starting.at(-1)),
  (simulation) => simulation.end(simulation.serving[0]),
  (simulation) => simulation.end(simulation.serving.at(-1)),
  (simulation) => simulation.end(simulation.retired[0]),
  (simulation) => simulation.renew(),
];

function remove(list: number[], worker: number): void {
  if (list.includes(worker)) list.splice(list.indexOf(worker), 1);
}

describe('Crew', () => {
  it('starts the first worker alone, and then the others', () => {
    const simulation = new Simulation();
    expect(simulation.starting).toEqual([1]);
    simulation.getReady(1);
    expect(simulation.starting).toEqual([2]);
  });

  it('replaces by a renewal one after another, each by one that is ready', () => {
    const simulation = new Simulation();
    simulation.settle();
    simulation.renew();
    expect(simulation).toMatchObject({ serving: [1, 2], starting: [3], retired: [] });
    simulation.getReady(3);
    expect(simulation).toMatchObject({ serving: [2, 3], starting: [], retired: [1] });
    simulation.end(1);
    expect(simulation).toMatchObject({ serving: [2, 3], starting: [4], retired: [] });
    simulation.settle();
    expect(simulation.serving).toEqual([3, 4]);
  });

  it('keeps the present workers if a new one does not start', () => {
    const simulation = new Simulation();
    simulation.settle();
    simulation.renew();
    simulation.end(3);
    expect(simulation).toMatchObject({ serving: [1, 2], starting: [], retired: [] });
  });

  it.each(['starting', 'complete'])(`gets complete and up to date after any ${DEPTH} events: %s`, (start) => {
    const faults = new Set<string>();
    for (let sequence = 0; sequence < EVENTS.length ** DEPTH; sequence++) {
      const simulation = new Simulation();
      if (start === 'complete') simulation.settle();
      for (let step = 0, rest = sequence; step < DEPTH; step++) {
        EVENTS[rest % EVENTS.length]!(simulation);
        rest = Math.floor(rest / EVENTS.length);
      }
      simulation.settle();
      for (const fault of simulation.faults) faults.add(fault);
    }
    expect(faults).toEqual(new Set());
  });
});
