import type { z } from 'zod'
import { bird } from './bird/kind.ts'
import type { CarrierKind, SendingKind } from './carrier-kind.ts'
import type { Intersection } from './intersection.ts'
import { mailgun } from './mailgun/kind.ts'
import { meta } from './meta/kind.ts'
import { postmark } from './postmark/kind.ts'
import { resend } from './resend/kind.ts'
import { sendgrid } from './sendgrid/kind.ts'
import { ses } from './ses/kind.ts'
import { smtp } from './smtp/kind.ts'
import { telnyx } from './telnyx/kind.ts'
import { twilio } from './twilio/kind.ts'
import { vonage } from './vonage/kind.ts'

export type { CarrierKind } from './carrier-kind.ts'

/** The kinds of carrier accounts: channel, credentials and environment variables of the sending half. */
export const kinds = {
  twilio,
  ses,
  smtp,
  whatsapp_cloud: meta,
  sendgrid,
  postmark,
  mailgun,
  resend,
  vonage,
  telnyx,
  bird,
} as const satisfies Record<string, SendingKind>

/** The longest text that every carrier of a channel accepts, in UTF-16 code units. */
export function longestTextOf(channel: CarrierKind['channel'], table: Record<string, CarrierKind> = kinds): number {
  const own = Object.values(table).filter((kind) => kind.channel === channel)
  return Math.min(...own.map(({ longestText = Number.POSITIVE_INFINITY }) => longestText))
}

function kindOf(kind: string): SendingKind | undefined {
  return Object.hasOwn(kinds, kind) ? kinds[kind as ProviderKind] : undefined
}

/** The size of a text: its UTF-16 code units, and the segments of an SMS. */
export interface TextSize {
  characters: number
  segments: number
}

/**
 * The limit of a kind of carrier that a text exceeds.
 * @returns for example `1000 characters`; undefined if the kind takes the text
 */
export function exceededLimit(kind: string, { characters, segments }: TextSize): string | undefined {
  const known = kindOf(kind)
  const [longest, most] = [known?.longestOwnText, known?.mostSegments]
  if (longest !== undefined && characters > longest) return `${longest} characters`
  return most !== undefined && segments > most ? `${most} segments` : undefined
}

/** Whether a kind of carrier sends nothing twice under one key. */
export const takesKeys = (kind: string): boolean => kindOf(kind)?.takesKeys === true

export type ProviderKind = keyof typeof kinds
export type CredentialsOf<Kind extends ProviderKind> = z.output<(typeof kinds)[Kind]['credentials']>
export type EnvironmentOf<Kind extends ProviderKind> = z.output<z.ZodObject<(typeof kinds)[Kind]['environment']>>

/** The environment variables of all sending halves, as parts of a zod object. */
export const sendingEnvironment = Object.assign(
  {},
  ...Object.values(kinds).map(({ environment }) => environment),
) as Intersection<(typeof kinds)[ProviderKind]['environment']>
