/** fast-check with the same cases at every run, so that a test that passed passes again; the long form looks for new ones. */
import { configureGlobal } from 'fast-check';
import { chooseSeed } from '../torture/random.ts';
import { isLong } from '../torture/scale.ts';

configureGlobal({ seed: chooseSeed('properties'), ...(isLong && { numRuns: 5000 }) });

export * from 'fast-check';
