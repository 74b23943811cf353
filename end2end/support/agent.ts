import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { environment } from './environment';

export interface Source {
  platform: string;
  channel_id?: string;
  thread_id?: string;
  message_id?: string;
  observed_at?: string;
}

export interface Memory {
  topic_raw: string;
  content: string;
  source?: Source;
  user_id?: string;
  kind?: string;
  category?: string;
  subject?: string;
  title?: string;
  summary?: string;
  evidence_ref?: string;
  scope?: string;
  commons?: boolean;
  project_id?: string;
  rationale?: string;
  alternatives?: string[];
}

export interface Remembered {
  memory_id: string;
  short_id: string;
  topic: string;
  is_canonical: boolean;
  was_update: boolean;
  unchanged: boolean;
}

/** A memory, or a piece of shared knowledge: then `source_tag` is `canonical`. */
export type Hit =
  | { source_tag: 'private' | 'shared'; memory_id: string; topic: string; content: string }
  | { source_tag: 'canonical'; document_id: string; chunk_id: string; title: string; content: string };

export interface Recalled {
  retrieval_id: string;
  hits: Hit[];
  query_canonical?: string;
  zero_hit: boolean;
  reason?: string;
}

export interface Explanation {
  sentence: string;
  memory: { memory_id: string; content: string; quotes: { source_title: string; speaker: string | null; quote: string }[] };
}

export interface Assembled {
  id: string;
  text: string;
  tokens: number;
  cut: { block: string; items: number; tokens: number }[];
}

export interface NewDocument {
  path: string;
  content: string;
}

export interface IngestReport {
  added: number;
  changed: number;
  unchanged: number;
  retired: number;
  terms: number;
  components: number;
  failures: { path: string; line: number | null; reason: string }[];
}

/** A phrase that occurs nowhere else in the data. Its mark begins with a letter: digits alone are a number, and what follows a number a unit. */
export function unique(prefix: string): string {
  return `${prefix} ${randomUUID().replaceAll('-', '').replace(/^\d+/, '').slice(0, 8)}`;
}

/** An agent with a key, made for a test so that its numbers are the test's own. Uses the API as agents do. */
export class Agent {
  private constructor(
    readonly slug: string,
    readonly id: string,
    private readonly key: string,
  ) {}

  /** With more scopes for its key, if a test needs them. */
  static create(more: string[] = []): Agent {
    const slug = `e2e-${randomUUID().slice(0, 8)}`;
    const id = remembrancer('agent', 'create', slug, '--tenant', 'acme', '--name', 'An agent of the browser tests').split(' ').at(-1);
    const scopes = ['memory:read', 'memory:write', 'memory:forget', 'kb:read', 'kb:write', 'users:any', ...more].join(',');
    const key = remembrancer('key', 'create', slug, '--tenant', 'acme', '--name', 'tests', '--scopes', scopes).split('\n').at(-1);
    if (!id || !key) throw new Error('the command line did not print the id of an agent and a key');
    return new Agent(slug, id, key);
  }

  /** An agent whose key was made in the console. */
  static connected(slug: string, id: string, key: string): Agent {
    return new Agent(slug, id, key);
  }

  /** The memories page with this agent's memories, narrowed by `filters`. */
  memories(filters: Record<string, string> = {}): string {
    return `/memories?${new URLSearchParams({ agent: this.id, ...filters })}`;
  }

  async remember(memory: Memory): Promise<Remembered> {
    return this.call<Remembered>('agent_memory_remember', { source: { platform: 'slack', channel_id: 'C-e2e' }, ...memory });
  }

  /** Remembers several memories, oldest first. */
  async rememberAll(memories: Memory[]): Promise<Remembered[]> {
    const done: Remembered[] = [];
    for (const memory of memories) done.push(await this.remember(memory));
    return done;
  }

  /** Gives a memory a new content. */
  async revise(memory: string, content: string, source?: Source): Promise<void> {
    await this.call('agent_memory_revise', { memory, content, source });
  }

  /** Recalls, and returns the whole answer. */
  async ask(query: string, more: { k?: number; expected?: boolean; user_id?: string; explain?: boolean } = {}): Promise<Recalled> {
    return this.call<Recalled>('agent_memory_recall', { query, k: 20, ...more });
  }

  /** Recalls, and returns the ids of the memories, best first. */
  async recall(query: string): Promise<string[]> {
    const { hits } = await this.ask(query);
    return hits.flatMap((hit) => (hit.source_tag === 'canonical' ? [] : [hit.memory_id]));
  }

  /** Explains a memory: where it comes from, in short and in full. */
  async explain(memory_id: string): Promise<Explanation> {
    return this.call<Explanation>('explain', { memory_id });
  }

  /** Stores messages of a session. */
  async say(session: string, messages: { role: string; content: string }[]): Promise<{ messages: { memory_id: string }[] }> {
    return this.post(`/api/sessions/${encodeURIComponent(session)}/messages`, { messages });
  }

  /** Assembles the prompt of a model call; the key needs the scope `context:read`. */
  async assemble(query: string, more: object = {}): Promise<Assembled> {
    return this.post<Assembled>('/api/context', { query, ...more });
  }

  /** Reports what the model answered to an assembled prompt. The log is written after the prompt is returned, hence the attempts. */
  async report(context: string, text: string): Promise<{ injected: number; used: string[] }> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.post(`/api/context/${context}/answer`, { text });
      } catch (error) {
        if (attempt === 50 || !String(error).includes('404')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Ingests documents into a collection; others of the same collection stay. */
  async ingest(collection: string, documents: NewDocument[]): Promise<IngestReport> {
    return this.post<IngestReport>('/api/kb/documents', { collection, documents });
  }

  /** Notices something about the person that the agent works for. */
  async observe(content: string, category = 'fact', role?: string, user_id?: string): Promise<void> {
    await this.call('record_observation', { content, category, role, user_id });
  }

  /** The prompt that a task is given. */
  async context(query: string): Promise<string> {
    return (await this.assemble(query)).text;
  }

  /** Links one memory to another. */
  async link(from: string, relation: string, to: string): Promise<void> {
    await this.call('agent_memory_link', { from, relation, to });
  }

  async forget(id: string, reason: string): Promise<void> {
    await this.call('agent_memory_forget', { memory_id: id, reason });
  }

  /** Calls a tool as the host of a coding agent does in a session, which the header names. */
  async within(session: string, tool: string, input: object): Promise<void> {
    await this.post(`/api/tools/${tool}`, input, { 'X-Remembrancer-Session': session });
  }

  /** Stores what was said in such a session; the key needs the scope `capture:write`. */
  async send(session: string, title: string, messages: { role: string; content: string }[]): Promise<void> {
    await this.post(`/api/sources?${new URLSearchParams({ title })}`, messages, { 'X-Remembrancer-Session': session });
  }

  private async call<T>(tool: string, input: object): Promise<T> {
    return this.post<T>(`/api/tools/${tool}`, input);
  }

  private async post<T>(path: string, input: object, more: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${environment.baseURL}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...more },
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** Runs the server's command line. */
export function remembrancer(...args: string[]): string {
  return execFileSync(environment.server, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
