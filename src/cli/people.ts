/** The commands for people, built into a file of their own: a start that serves a client does not even read it. */
export { runCall } from './call/call.ts';
export { runCheck } from './check/check.ts';
export { terminate } from './terminate.ts';
