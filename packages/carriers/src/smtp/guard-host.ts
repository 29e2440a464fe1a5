import type { Socket } from 'node:net'
import {
  type AllowList,
  connectPublic,
  createHostResolver,
  DestinationError,
  requirePublicHost,
} from '@notify/egress-guard'
import type { SmtpCredentials } from './credentials.ts'

type Server = Pick<SmtpCredentials, 'host' | 'port'>

/** nodemailer's errors have codes; this one says that the mail server may not be called. */
export const forbiddenHostCode = 'EDESTINATION'

/** Why an account may not name this mail server; names are resolved when it is called. */
export function hostFault({ host, port }: Server, allowed: AllowList): string | undefined {
  try {
    requirePublicHost(host, Number(port), allowed)
    return undefined
  } catch (error) {
    if (error instanceof DestinationError) return `host ${error.message}`
    throw error
  }
}

const resolve = createHostResolver()

/**
 * Connects to the mail server of a tenant. A listed host is the installation's own; every other must be public.
 * @returns undefined when nodemailer may connect by itself
 */
export async function connectToServer(
  { host, port }: Server,
  allowed: AllowList,
  connectMs: number,
): Promise<Socket | undefined> {
  // The system looks listed names up: they may be in the hosts file.
  if (allowed.hasHost(host.toLowerCase(), Number(port))) return undefined
  try {
    return await connectPublic({ host, port: Number(port), resolve, allowed, connectMs })
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error
    throw Object.assign(new Error(error.message), { code: forbiddenHostCode })
  }
}
