import type { Certificates } from '../infrastructure/make-certificates.ts'
import type { State } from '../state/state.ts'
import type { NodeProcess, ProcessName, ServerProcess } from './process-names.ts'
import type { Stack } from './stack.ts'

export interface StackOptions {
  /** The project's root folder. */
  root: string
  /** Where state, data and logs live; made when missing. */
  dataDir: string
  /** The gateway's port; the others follow, see `portsFrom`. */
  portBase: number
  /** Which Node processes to start; default: all that have a source. */
  services?: readonly NodeProcess[]
  /** Environment variables on top of the usual ones: for one process, or for `all`. */
  env?: Partial<Record<NodeProcess | 'all', Record<string, string>>>
  /** Another file to run as this process, relative to the root. */
  entries?: Partial<Record<NodeProcess, string>>
  /** Node processes that share one operating-system process: it starts faster, but none of them can end alone. */
  together?: readonly NodeProcess[]
  /** Runs the other services, too, in processes that an earlier stack left, where such are kept. Default false. */
  reuse?: boolean
  /** Installs NATS and Redis where they are missing. Default true. */
  install?: boolean
  /** False: Postgres without fsync, for tests. Default true. */
  durable?: boolean
  /** Further lines for the configuration of a server that is started. */
  settings?: Partial<Record<ServerProcess, readonly string[]>>
  /** Default `notify`. */
  databaseName?: string
  /** Superuser's URL of a Postgres that already runs: no own one is started, only the database `databaseName` is made. */
  sharedPostgres?: string
  /** A NATS server that already runs. */
  natsUrl?: string
  /** A Redis server that already runs. */
  redisUrl?: string
  /** Of the webhook receiver; default: new ones. */
  certificates?: Certificates | undefined
  /** The secrets; default: those kept in `dataDir`. */
  state?: State
  /** Throw away the data of earlier starts. */
  reset?: boolean
  /**
   * `file` (default): each process logs to `<dataDir>/logs/<process>.log`. `pretty`: their warnings and errors go to
   * `onProgress` as well. `silent`: to the files, warnings and errors only.
   */
  logs?: 'file' | 'pretty' | 'silent'
  /** Restart a process that ended unexpectedly, with a growing delay. */
  reviveCrashed?: boolean
  /** Ends a start that is under way: it stops what has been started, and rejects. */
  signal?: AbortSignal
  /** Called, and awaited, with the stack before any process starts: to end it during the start, or to put something in front of a server. */
  onStack?: (stack: Stack) => unknown
  /** Receives progress messages, one line each. */
  onProgress?: (text: string) => void
  /** Receives the process id at each start of a process. */
  onProcess?: (name: ProcessName, pid: number) => void
}
