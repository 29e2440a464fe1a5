import { Channel, type Id, idSchema, KeyMode } from '@notify/contracts'
import { createLinkSeal } from '@notify/privacy'
import { z } from 'zod'
import type { Config } from '../../config.ts'

/** What the link of a message carries: who got which message. */
export interface LinkContent {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  mode: KeyMode
  channel: Channel
  /** The recipient as it is indexed. */
  to: string
  /** Of the user that the request named, if it named one beside the address. */
  userId?: string | undefined
  /** Undefined: the message has none that can be switched off. */
  topic?: string | undefined
  locale?: string | undefined
}

/** Makes and opens the links of messages. They do not expire. */
export interface MessageLinks {
  urlOf(content: LinkContent): string
  /** @returns undefined for what was not made here */
  open(token: string): LinkContent | undefined
}

/** A context with it. */
export interface WithLinks {
  links: MessageLinks
}

const text = z.string()
/** A list, because each character makes a header longer; carriers take 870. */
const Content = z.tuple([z.literal(1), idSchema('ten'), idSchema('app'), KeyMode, Channel, text, text, text, text])

export function createMessageLinks({
  BLIND_INDEX_KEY,
  PUBLIC_URL,
}: Pick<Config, 'BLIND_INDEX_KEY' | 'PUBLIC_URL'>): MessageLinks {
  const seal = createLinkSeal(BLIND_INDEX_KEY, 'preferences')
  const base = `${PUBLIC_URL}/u/`
  return {
    urlOf: ({ tenantId, applicationId, mode, channel, to, topic = '', locale = '', userId = '' }) =>
      base + seal.seal(JSON.stringify([1, tenantId, applicationId, mode, channel, to, topic, locale, userId])),
    open(token) {
      const opened = seal.open(token)
      if (opened === undefined) return undefined
      const [, tenantId, applicationId, mode, channel, to, topic, locale, userId] = Content.parse(JSON.parse(opened))
      const further = { topic: topic || undefined, locale: locale || undefined, userId: userId || undefined }
      return { tenantId, applicationId, mode, channel, to, ...further }
    },
  }
}

/** A text without the tokens of links in it, also of those within other URLs: with one, its reader could choose for the recipient. */
export const withoutLinkTokens = (text: string): string => text.replaceAll(/((?:\/|%2F)u(?:\/|%2F))[\w-]{40,}/gi, '$1…')
