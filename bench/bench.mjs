/** What a workload is given: targets, rounds, sessions, and where samples go. Knows no workload. */
import { rotate } from './measure.mjs';
import { Session } from './session.mjs';

const VISIT_LIMIT_MS = 60_000;

export class Bench {
  #sessions = new Map();
  #directory;
  #progress;
  /** Measures in the order of their first sample. */
  measures = [];
  failures = [];

  constructor({ targets, direct, quick, directory, progress }) {
    this.callTargets = targets;
    this.targets = targets.filter(({ onlyCalls }) => onlyCalls !== true);
    this.listTargets = this.targets.filter(({ hidesTools }) => hidesTools !== true);
    this.direct = direct;
    this.quick = quick;
    this.#directory = directory;
    this.#progress = progress;
  }

  open(target, servers) {
    const session = new Session(target, servers, this.#directory);
    this.#sessions.set(target, [...this.#openSessions(target), session]);
    return session;
  }

  /** Lets a target that remembers servers see them for the first time, before it is measured. */
  async learn(target, servers, expected) {
    if (!target.remembers) return;
    const session = this.open(target, servers);
    try {
      await session.initialize();
      await session.listAll(expected);
    } finally {
      await session.close();
    }
  }

  /**
   * Declares a row of the table; the result takes samples by target name. `better` says which end of the scale wins,
   * `picture` under which title the row is drawn, if it is.
   */
  measure(name, { unit, digits = 1, goal, better = 'less', picture }) {
    const measure = { name, unit, digits, goal, better, picture, samples: {} };
    this.measures.push(measure);
    return {
      add: (target, value) => {
        if (value !== undefined) (measure.samples[target] ??= []).push(value);
      },
    };
  }

  /** Runs `visit(target, round)` for each target in every round, in rotating order; a target that fails drops out. */
  async interleave(what, targets, rounds, visit) {
    const failed = new Set();
    for (let round = 0; round < rounds; round++) {
      this.#progress(`${what}: round ${round + 1} of ${rounds}`);
      for (const target of rotate(targets, round)) {
        if (failed.has(target)) continue;
        try {
          await this.#limit(target, () => visit(target, round));
        } catch (error) {
          failed.add(target);
          this.failures.push({
            target: target.name,
            what,
            optional: target.optional === true,
            reason: error.message,
          });
        }
      }
    }
  }

  /** A target that never answers fails like one that answers wrongly, instead of stopping the run. */
  async #limit(target, visit) {
    const timer = setTimeout(() => {
      const reason = `gave no answer within ${VISIT_LIMIT_MS / 1000} s`;
      for (const session of this.#openSessions(target)) session.abandon(reason);
    }, VISIT_LIMIT_MS);
    try {
      await visit();
    } finally {
      clearTimeout(timer);
    }
  }

  #openSessions(target) {
    return (this.#sessions.get(target) ?? []).filter((session) => !session.closed);
  }

  /** As `interleave`, with one open session per target that outlives the rounds. */
  async interleaveOpen(what, targets, servers, rounds, visit, prepare = async () => {}) {
    const sessions = new Map();
    const ready = new Set();
    try {
      await this.interleave(`${what}, opening`, targets, 1, async (target) => {
        const session = this.open(target, servers);
        sessions.set(target, session);
        await session.initialize();
        await session.listAll();
        await prepare(session, target);
        ready.add(target);
      });
      const opened = targets.filter((target) => ready.has(target));
      await this.interleave(what, opened, rounds, (target, round) =>
        visit(sessions.get(target), target, round),
      );
    } finally {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    }
  }
}
