import { attachmentLimits } from '@notify/contracts'
import type { Egress } from '@notify/egress-guard'
import { createTenantRoom, fieldProblem, Problem } from '@notify/service-kit'

/** Downloads at the same time. */
const size = { most: 12, mostOfTenant: 4 }
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
  const room = createTenantRoom(size)
  return async (tenantId, url, field) => {
    const leave = await room(tenantId, performance.now() + waitMs)
    if (!leave) throw tooMany('Too many attachments are being read; try again shortly')
    const outcome = await egress
      .get({ url, headers: {}, deadlineMs: timeoutMs, owner: tenantId, maxBytes: attachmentLimits.bytes })
      .finally(leave)
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

/** A tenant has its share of the room for files. */
export const tooMany = (detail: string) => new Problem('rate_limited', detail, { headers: { 'Retry-After': '1' } })

const notAvailable = (field: string, why: string) =>
  fieldProblem('attachment_not_available', field, `cannot be read: ${why}`)
