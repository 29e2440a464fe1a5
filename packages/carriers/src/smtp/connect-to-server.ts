import type { Socket } from 'node:net'
import { type AllowList, connectPublic, createHostResolver, DestinationError } from '@notify/egress-guard'
import type { SmtpCredentials } from './credentials.ts'

type Server = Pick<SmtpCredentials, 'host' | 'port'>

/** The error code for a forbidden mail server, in the form of nodemailer's codes. */
export const forbiddenHostCode = 'EDESTINATION'

const resolve = createHostResolver()

/**
 * Connects to the mail server of a tenant, which must be public or listed.
 * @returns undefined when nodemailer may connect by itself
 */
export async function connectToServer(
  { host, port }: Server,
  allowed: AllowList,
  connectMs: number,
): Promise<Socket | undefined> {
  // The system resolves listed names, because they may be in the hosts file.
  if (allowed.hasHost(host.toLowerCase(), Number(port))) return undefined
  try {
    return await connectPublic({ host, port: Number(port), resolve, allowed, connectMs })
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error
    throw Object.assign(new Error(error.message), { code: forbiddenHostCode })
  }
}
