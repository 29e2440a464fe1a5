import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'

/** What a fault does to every query for its name. */
const faults = ['SERVFAIL', 'TIMEOUT', 'REFUSED', 'NXDOMAIN'] as const
export type Fault = (typeof faults)[number]

const longestText = 4096

/**
 * A domain name in lower case, without the final dot.
 * @see https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4
 */
const domainName = z
  .string()
  .transform((name) => name.replace(/\.$/, '').toLowerCase())
  .refine((name) => name.length <= 253 && /^(?:[a-z0-9_-]{1,63})(?:\.[a-z0-9_-]{1,63})*$/.test(name), {
    error: 'must be a fully qualified domain name in ASCII',
  })

const hostRecord = <T extends 'CNAME' | 'NS'>(type: T) =>
  z.object({ type: z.literal(type), name: domainName, value: domainName })

/**
 * A record as `PUT /dns` takes it. Unknown members (`ttl`, `purpose`, `status`) are ignored, so that the records of a
 * sending domain can be passed as the API returns them.
 */
export const DnsRecord = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('A'),
      name: domainName,
      value: z.string().refine(isIPv4, { error: 'must be an IPv4 address' }),
    }),
    z.object({
      type: z.literal('AAAA'),
      name: domainName,
      value: z.string().refine(isIPv6, { error: 'must be an IPv6 address' }),
    }),
    z.object({ type: z.literal('TXT'), name: domainName, value: z.string().max(longestText) }),
    z.object({
      type: z.literal('MX'),
      name: domainName,
      value: domainName,
      priority: z.int().min(0).max(65_535).default(10),
    }),
    hostRecord('CNAME'),
    hostRecord('NS'),
    z.object({ type: z.literal('FAULT'), name: domainName, value: z.enum(faults) }),
  ],
  { error: 'must be A, AAAA, TXT, MX, CNAME, NS or FAULT' },
)
export type DnsRecord = z.infer<typeof DnsRecord>
