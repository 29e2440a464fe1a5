import type { Door, Problem } from '@notify/service-kit'
import type { Request } from 'express'

/** The path of a proxied route, as it was mounted: without what callers choose. */
export const routeOf = ({ route, baseUrl }: Request): { path: string } => ({ path: route?.path ?? baseUrl })

/** Logs a request that the gateway itself refused: its owner has not seen it, or has not answered. */
export function logRefusal({ log }: Pick<Door, 'log'>, request: Request, problem: Problem, ms: number): void {
  const { status, code } = problem
  const line = { method: request.method, path: routeOf(request).path, status, code, ms: Math.round(ms) }
  if (status >= 500) log.error({ ...line, err: problem }, 'request failed')
  else log.info(line, 'request refused')
}
