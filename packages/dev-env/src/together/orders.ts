import type { NodeProcess } from '../stack/process-names.ts'

/** What runs, by name, and the environment of each. */
export type Environments = Partial<Record<NodeProcess, Record<string, string>>>

/** The orders of a stack to the process that runs its services. */
export type Order = { load: Environments } | 'start' | 'stop'

/** Printed once all services of a stack have stopped and nothing of them is left: the process can run another stack. */
export const freeLine = 'together: nothing runs here'
