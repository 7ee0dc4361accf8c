/** What a check has found, as data: the same for people and for machines. Starts and shows nothing. */
import type { Item } from '../../protocol/lists.ts';
import { chooseNaming, qualify } from '../../protocol/names.ts';
import { describeFailure, type FailureReport } from '../stage/failure.ts';
import type { EraName } from '../stage/introduction.ts';
import type { Probe } from '../stage/probe.ts';
import type { MemoryUse } from './memory-use.ts';
import { findRemarks, measureList } from './warnings.ts';

interface ToolReport {
  /** As clients see it. */
  readonly name: string;
  /** The first line of its description. */
  readonly description: string;
}

export interface ServerReport {
  readonly key: string;
  readonly state: 'ready' | 'failed';
  readonly name?: string;
  readonly version?: string;
  readonly era?: EraName;
  readonly protocolVersion?: string;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly resourceTemplates: number;
  /** Of its tool list. */
  readonly characters: number;
  readonly tokens: number;
  readonly startupMs: number;
  readonly memoryBytes?: number;
  readonly toolList?: readonly ToolReport[];
  readonly failure?: FailureReport;
}

export interface Report {
  readonly ok: boolean;
  readonly config: string;
  readonly servers: readonly ServerReport[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

export interface ReportOptions {
  readonly config: string;
  readonly separator: string | undefined;
  /** Whether every tool is listed. */
  readonly tools: boolean;
  readonly memory: MemoryUse;
  /** What was found in the config itself. */
  readonly remarks: readonly string[];
  readonly clean: (text: string) => string;
}

export function createReport(probes: readonly Probe[], options: ReportOptions): Report {
  const servers = probes.map((probe) => describe(probe, options));
  const listed = probes
    .filter(({ failure }) => failure === undefined)
    .map((probe) => ({
      key: probe.key,
      tools: itemsOf(probe, 'tools'),
      prompts: itemsOf(probe, 'prompts'),
      findings: [...probe.lists.values()].flatMap(({ findings }) => findings),
      strayCount: probe.stray.total,
    }));
  const found = findRemarks(listed, options);
  const warnings = [...options.remarks, ...found.warnings].map((text) => options.clean(text));
  const notes = found.notes.map((text) => options.clean(text));
  const ok = warnings.length === 0 && servers.every(({ state }) => state === 'ready');
  return { ok, config: options.config, servers, warnings, notes };
}

function describe(probe: Probe, options: ReportOptions): ServerReport {
  const { clean, memory } = options;
  const { key, introduction, failure, connection } = probe;
  const tools = itemsOf(probe, 'tools');
  const memoryBytes = connection.pid === undefined ? undefined : memory.get(connection.pid);
  return {
    key,
    state: failure === undefined ? 'ready' : 'failed',
    ...(introduction?.name !== undefined && { name: clean(introduction.name) }),
    ...(introduction?.version !== undefined && { version: clean(introduction.version) }),
    ...(introduction && { era: introduction.era, protocolVersion: clean(introduction.protocolVersion) }),
    tools: tools.length,
    prompts: itemsOf(probe, 'prompts').length,
    resources: itemsOf(probe, 'resources').length,
    resourceTemplates: itemsOf(probe, 'templates').length,
    ...measureList(tools),
    startupMs: Math.round(probe.startupMs ?? 0),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(options.tools && { toolList: tools.map((item) => describeTool(key, item, options)) }),
    ...(failure !== undefined && { failure: describeFailure(probe, clean) }),
  };
}

function describeTool(key: string, item: Item, { clean, separator }: ReportOptions): ToolReport {
  const { title, description } = JSON.parse(item.bytes.toString()) as Record<string, unknown>;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const { separator: joint } = chooseNaming(undefined, separator);
  return { name: qualify(key, item.name, joint), description: clean(text.trim().split('\n')[0] ?? '') };
}

function itemsOf(probe: Probe, kind: 'tools' | 'prompts' | 'resources' | 'templates'): readonly Item[] {
  return probe.lists.get(kind)?.items ?? [];
}
