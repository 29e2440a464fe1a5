import type { DispatchRequest } from '@notify/contracts'
import { type AllowList, DestinationError, readDestination } from '@notify/egress-guard'
import { fieldProblem, type Problem } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` for what is no public https address; names are resolved at delivery */
export function readUrl({ recipient }: Pick<DispatchRequest, 'recipient'>, allowed: AllowList): string {
  const isText = typeof recipient === 'string'
  const url = isText ? recipient : recipient.url
  const path = isText ? 'recipient' : 'recipient.url'
  if (typeof url !== 'string') throw badUrl(path, url === undefined ? 'is missing' : 'must be a string')
  try {
    readDestination(url, allowed)
    return url
  } catch (error) {
    if (error instanceof DestinationError) throw badUrl(path, error.message)
    throw error
  }
}

/** Scheme and host, always masked: path and query may hold secrets. */
export const maskUrl = (url: string): string => `${new URL(url).origin}/***`

function badUrl(path: string, message: string): Problem {
  return fieldProblem('invalid_recipient', path, message)
}
