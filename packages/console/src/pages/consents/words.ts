import type { components } from '@notify/sdk'
import type { Tone } from '../../ui/badge.tsx'

export type Consent = components['schemas']['Consent']
export type ConsentEntry = components['schemas']['ConsentEntry']
export type OptInSource = components['schemas']['NewOptIn']['source']

export const consentStatuses: Record<Consent['status'], { name: string; tone: Tone; means: string }> = {
  active: { name: 'Opted in', tone: 'good', means: 'The number may receive WhatsApp messages.' },
  revoked: { name: 'Opted out', tone: 'bad', means: 'The number receives no WhatsApp messages.' },
  none: { name: 'No opt-in', tone: 'quiet', means: 'The number receives no WhatsApp messages.' },
}

export const actions: Record<ConsentEntry['action'], { name: string; tone: Tone }> = {
  opt_in: { name: 'Opt-in', tone: 'good' },
  opt_out: { name: 'Opt-out', tone: 'bad' },
  marketing_stop: { name: 'Marketing stopped', tone: 'warn' },
  marketing_resume: { name: 'Marketing resumed', tone: 'good' },
}

export const optInSources: Record<OptInSource, string> = {
  checkout: 'Checkout',
  web_form: 'Web form',
  ivr: 'Telephone menu',
  import: 'Import',
}

const sources: Record<string, string> = {
  ...optInSources,
  reply: 'Reply of the recipient',
  button: 'Button in a message',
  preference: 'Settings in WhatsApp',
  carrier: 'Reported by the carrier',
  request: 'On request',
}

export const sourceName = (source: string) => sources[source] ?? source

/** Masks a number for lists, like recipients in the activity: `+15*****0001`. */
export function maskNumber(phone: string): string {
  const shown = phone.length >= 11 ? 4 : 2
  return `${phone.slice(0, 3)}${'*'.repeat(Math.max(phone.length - 3 - shown, 1))}${phone.slice(-shown)}`
}
