import { attachmentLimits } from '@notify/contracts'
import { busyCode, createOwnerTurns, type Egress } from '@notify/egress-guard'
import { fieldProblem, Problem } from '@notify/service-kit'

/** Downloads at the same time: of a process, because each takes memory; and of a tenant, so that the others have a share. */
const most = 12
const mostOfTenant = 4
/** How long one waits for others. With the download it stays within the time of an accept call. */
const waitMs = 1000

/** Reads a file for a tenant; errors name the field. */
export type FetchTenantFile = (tenantId: string, url: string, field: string) => Promise<Buffer>

interface Options {
  egress: Egress
  timeoutMs: number
}

/** Reads files from addresses of tenants: public ones alone, whole, and bounded in time, size and number. */
export function createFetchFile({ egress, timeoutMs }: Options): FetchTenantFile {
  const ofTenant = createOwnerTurns(mostOfTenant, waitMs)
  const ofProcess = createOwnerTurns(most, waitMs)
  return async (tenantId, url, field) => {
    const download = () =>
      egress.get({ url, headers: {}, deadlineMs: timeoutMs, owner: tenantId, maxBytes: attachmentLimits.bytes })
    const outcome = await ofTenant(tenantId, () => ofProcess('', download)).catch(explainWait)
    if (outcome.kind === 'failed' && outcome.own)
      throw new Problem('service_unavailable', 'The network is not available')
    if (outcome.kind !== 'answered') throw notAvailable(field, outcome.message)
    if (outcome.status !== 200) throw notAvailable(field, `the answer has status ${outcome.status}`)
    // Nothing is unpacked, and packed bytes are not the file.
    if ((outcome.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw notAvailable(field, 'the answer has a content encoding')
    if (outcome.body.length === 0) throw notAvailable(field, 'the answer is empty')
    return outcome.body
  }
}

function explainWait(error: Error & { code?: string }): never {
  if (error.code !== busyCode) throw error
  throw new Problem('rate_limited', 'Too many attachments are being read; try again shortly')
}

const notAvailable = (field: string, why: string) =>
  fieldProblem('attachment_not_available', field, `cannot be read: ${why}`)
