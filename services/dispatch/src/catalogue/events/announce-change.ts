import type { OperatorPrincipal } from '@notify/contracts'
import type { Context } from '../../context.ts'
import type { WithEvents } from './event-catalogue.ts'

/** Makes a changed event take effect: in this process at once, in the others within a second. */
export function announceChange(
  { directory, log, wakeOutbox }: Pick<Context, 'log' | 'wakeOutbox'> & WithEvents,
  { params, principal, requestId }: { params: object; principal: OperatorPrincipal; requestId: string },
  text: string,
): void {
  directory.events.forget()
  wakeOutbox()
  log.info({ ...params, operator: principal.subject, request_id: requestId }, text)
}
