import { newId } from '@notify/contracts'

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/** The caller's `X-Request-Id` when it is sane, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : newId('req')
}
