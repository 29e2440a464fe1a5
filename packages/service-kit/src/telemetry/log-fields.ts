import { AsyncLocalStorage } from 'node:async_hooks'

/** The work of a process when it logs; each line has its known fields. */
export interface LogFields {
  request_id?: string | undefined
  tenant_id?: string | undefined
  notification_id?: string | undefined
  durable?: string | undefined
  event_id?: string | undefined
  delivery_id?: string | undefined
  domain_id?: string | undefined
  /** The periodic task. */
  task?: string | undefined
  /** Its trace id is logged. */
  traceparent?: string | null | undefined
}

const current = new AsyncLocalStorage<LogFields | undefined>()

/** Runs a step; every line logged meanwhile, by any function, has these fields and those of the step around it. */
export function withLogFields<T>(fields: LogFields, run: () => T): T {
  return current.run({ ...current.getStore(), ...fields }, run)
}

/** Adds what became known to the running step. Outside of one it does nothing. */
export function addLogFields(fields: LogFields): void {
  Object.assign(current.getStore() ?? {}, fields)
}

/** Runs work for several steps at once, such as a batch: its lines have none of their fields. */
export function withoutLogFields<T>(run: () => T): T {
  return current.run(undefined, run)
}

/** The fields of the running step, in a new object. */
export function currentLogFields(): Record<string, string | undefined> {
  const fields = current.getStore()
  if (!fields) return {}
  const { traceparent, ...rest } = fields
  return traceparent ? { trace_id: traceparent.slice(3, 35), ...rest } : { ...rest }
}
