import type { Socket } from 'node:net'
import { type AllowList, connectPublic, createHostResolver, DestinationError } from '@notify/egress-guard'
import type { SmtpCredentials } from './credentials.ts'

type Server = Pick<SmtpCredentials, 'host' | 'port'>

/** The code of the error for a mail server that may not be called, beside nodemailer's own codes. */
export const forbiddenHostCode = 'EDESTINATION'

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
