import { keywordOf, type ReceivedContent } from '@notify/contracts'

const keywords: readonly string[] = ['stop', 'unsubscribe', 'opt out', 'optout']

/**
 * Whether a message revokes the consent of who wrote it: it consists of a keyword alone, or is the press of a button that
 * bears one. A sentence that contains a keyword revokes nothing.
 * @returns what revoked it
 */
export function readStop({ body, payload }: Pick<ReceivedContent, 'body' | 'payload'>): 'reply' | 'button' | undefined {
  if (payload !== undefined && keywords.includes(keywordOf(payload))) return 'button'
  if (!keywords.includes(keywordOf(body))) return undefined
  return payload === undefined ? 'reply' : 'button'
}
