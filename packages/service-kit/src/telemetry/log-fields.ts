import { AsyncLocalStorage } from 'node:async_hooks'

/** The work that a process is doing when it logs; each line contains the known fields. */
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

/** Runs a step. Every line that any function logs during the step has these fields, and those of the enclosing step. */
export function withLogFields<T>(fields: LogFields, run: () => T): T {
  return current.run({ ...current.getStore(), ...fields }, run)
}

/** Adds fields to the running step. Does nothing outside of a step. */
export function addLogFields(fields: LogFields): void {
  Object.assign(current.getStore() ?? {}, fields)
}

/** Runs work that belongs to several steps, such as a batch; its lines have no fields of any step. */
export function withoutLogFields<T>(run: () => T): T {
  return current.run(undefined, run)
}

/** The tenant for which the running step works; undefined for what belongs to several. */
export const currentTenant = (): string | undefined => current.getStore()?.tenant_id

/** The fields of the running step, in a new object. */
export function currentLogFields(): Record<string, string | undefined> {
  const fields = current.getStore()
  if (!fields) return {}
  const { traceparent, ...rest } = fields
  return traceparent ? { trace_id: traceparent.slice(3, 35), ...rest } : { ...rest }
}
