/** The workloads in the order of the table. To add one, write its file and name it here. */
import { coldList } from './workloads/cold-list.mjs';
import { inFlight } from './workloads/in-flight.mjs';
import { largeResults } from './workloads/large-results.mjs';
import { lazy } from './workloads/lazy.mjs';
import { longList } from './workloads/long-list.mjs';
import { smallCalls } from './workloads/small-calls.mjs';
import { start } from './workloads/start.mjs';
import { warmList } from './workloads/warm-list.mjs';

export const workloads = [smallCalls, inFlight, largeResults, start, coldList, lazy, warmList, longList];
