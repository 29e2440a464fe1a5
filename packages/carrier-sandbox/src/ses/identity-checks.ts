import { bounceHost } from '../dns/built-in-records.ts'
import type { Zone } from '../dns/zone.ts'
import type { Identity } from './identity.ts'

type ErrorType = 'SERVICE_ERROR' | 'HOST_NOT_FOUND' | 'TYPE_NOT_FOUND' | 'INVALID_VALUE'

/** The state of a domain's verification, and what is missing. */
export interface DkimCheck {
  status: 'SUCCESS' | 'PENDING'
  error?: ErrorType
}

/** Whether the DNS records show that the domain's owner approves this key. */
export function dkimCheck(zone: Zone, { name, dkim }: Pick<Identity, 'name' | 'dkim'>): DkimCheck {
  if (dkim.origin === 'AWS_SES') {
    const faults = dkim.tokens.map((token) =>
      faultOf(zone, `${token}._domainkey.${name}`, 'CNAME', (value) => value === `${token}.dkim.amazonses.com`),
    )
    return checkOf(faults.find((fault) => fault !== undefined))
  }
  const key = dkim.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return checkOf(faultOf(zone, `${dkim.selector}._domainkey.${name}`, 'TXT', (value) => publishedKey(value) === key))
}

/** SES requires a single MX record on the MAIL FROM domain, its own. */
export function mailFromStatus(zone: Zone, { mailFrom, region }: Identity): 'SUCCESS' | 'PENDING' {
  const hosts = zone.find(mailFrom?.domain ?? '').records.filter((record) => record.type === 'MX')
  return hosts.length === 1 && hosts[0]?.value === bounceHost(region) ? 'SUCCESS' : 'PENDING'
}

function checkOf(error: ErrorType | undefined): DkimCheck {
  return error ? { status: 'PENDING', error } : { status: 'SUCCESS' }
}

function faultOf(
  zone: Zone,
  name: string,
  type: 'CNAME' | 'TXT',
  isRight: (value: string) => boolean,
): ErrorType | undefined {
  const { records, exists, fault } = zone.find(name)
  if (fault && fault !== 'NXDOMAIN') return 'SERVICE_ERROR'
  if (fault || !exists) return 'HOST_NOT_FOUND'
  const ofType = records.filter((record) => record.type === type)
  if (ofType.length === 0) return 'TYPE_NOT_FOUND'
  return ofType.some(({ value }) => isRight(value)) ? undefined : 'INVALID_VALUE'
}

/** The `p` of a DKIM record: RFC 6376, 3.6.1; white space in it is ignored. */
function publishedKey(record: string): string | undefined {
  return /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replace(/\s/g, '')
}
