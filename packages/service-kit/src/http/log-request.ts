import type { Route } from '@notify/contracts'
import type { Door } from './door.ts'

interface Handled {
  status: number
  code: string | undefined
  fault: unknown
  ms: number
  bodyBytes: number
}

/** Logs one line for a request: for every refusal and failure, and for a share of the others, or all at level `debug`. */
export function logRequest(
  { log, logRatio = 0 }: Pick<Door, 'log' | 'logRatio'>,
  contract: Route,
  handled: Handled,
): void {
  const { status, code, fault, ms, bodyBytes } = handled
  const line = {
    route: contract.name,
    method: contract.method,
    path: contract.path,
    status,
    ...(code !== undefined && { code }),
    ms: Math.round(ms),
    body_bytes: bodyBytes,
  }
  if (status >= 500) log.error({ ...line, err: fault }, 'request failed')
  else if (status >= 400) log.info(line, 'request refused')
  else log[Math.random() < logRatio ? 'info' : 'debug'](line, 'request handled')
}
