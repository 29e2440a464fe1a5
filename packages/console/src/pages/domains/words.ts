import type { components } from '@notify/sdk'
import type { Tone } from '../../ui/badge.tsx'

export type Domain = components['schemas']['Domain']
export type DomainRecord = components['schemas']['DomainRecord']

export const domainStatuses: Record<Domain['status'], { name: string; tone: Tone; means: string }> = {
  pending: {
    name: 'Pending',
    tone: 'busy',
    means:
      'Publish the records below at the DNS provider of the domain. They are checked automatically, at first every few minutes.',
  },
  verified: { name: 'Verified', tone: 'good', means: 'Email may be sent from addresses of this domain.' },
  failed: {
    name: 'Failed',
    tone: 'bad',
    means: 'A record was found with a wrong value. Correct what is marked below, then verify again.',
  },
  degraded: {
    name: 'Degraded',
    tone: 'warn',
    means: 'The domain was verified, but its records have changed since. Correct what is marked below.',
  },
}

export const recordStatuses: Record<DomainRecord['status'], { name: string; tone: Tone }> = {
  pending: { name: 'Not found yet', tone: 'busy' },
  verified: { name: 'Verified', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
}

export const carrierStatuses: Record<
  Domain['carriers'][number]['status'],
  { name: string; tone: Tone; means: string }
> = {
  pending: { name: 'Not verified yet', tone: 'busy', means: 'Email from the domain passes over this provider.' },
  verified: { name: 'Verified', tone: 'good', means: 'Sends email from the domain.' },
  unmanaged: {
    name: 'Unknown',
    tone: 'quiet',
    means:
      'The credentials do not permit managing domains. Verify the domain at the carrier; it accepts or refuses each message.',
  },
}

/** The names of the providers that need a record. */
export function needersOf({ needed_by }: DomainRecord, carriers: Domain['carriers']): string {
  return carriers
    .filter(({ provider_id }) => needed_by.includes(provider_id))
    .map(({ name }) => name)
    .join(', ')
}

export const purposes: Record<DomainRecord['purpose'], { name: string; does: string }> = {
  dkim: { name: 'DKIM', does: 'signs the emails' },
  spf: { name: 'SPF', does: 'allows our servers to send' },
  mail_from: { name: 'MAIL FROM', does: 'for bounces; optional' },
}

/** @returns for example `2 of 4 records verified` */
export function progressOf({ records }: Pick<Domain, 'records'>): string {
  const verified = records.filter(({ status }) => status === 'verified').length
  return `${verified} of ${records.length} records verified`
}
