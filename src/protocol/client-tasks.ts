/** The tasks that the client made for servers, under ids of its own: which server's each is, so that no other gets at it. */
import type { Answer } from '../wire/envelope.ts';
import { elementsOf, isArray, isObject, memberOf, stringAt } from '../wire/json.ts';
import type { Splice } from '../wire/splice.ts';
import { RecentKeys } from './recent-keys.ts';
import { findMadeTask } from './tasks.ts';

const REMEMBERED_TASKS = 10_000;

export class ClientTasks {
  readonly #keys = new RecentKeys(REMEMBERED_TASKS);

  /** Notes the task that the client made instead of answering a server. */
  note(key: string, answer: Answer): void {
    const id = answer.result && answer.string(findMadeTask(answer));
    if (id !== undefined) this.#keys.set(id, key);
  }

  /** The key of the server that a task was made for. */
  find(taskId: string): string | undefined {
    return this.#keys.get(taskId);
  }

  /** Leaves of the client's list only what was made for this server. */
  narrow(key: string, { line, result }: Answer): Splice[] {
    const span = result && isObject(line, result) ? memberOf(line, result, 'tasks') : undefined;
    if (span === undefined || !isArray(line, span)) return [];
    const own = elementsOf(line, span).filter((element) => {
      const id = isObject(line, element) ? memberOf(line, element, 'taskId') : undefined;
      return id !== undefined && this.find(stringAt(line, id)) === key;
    });
    const text = own.map(({ start, end }) => line.toString('latin1', start, end)).join(',');
    return [{ span, bytes: Buffer.from(`[${text}]`, 'latin1') }];
  }
}
