import { keywordOf, type ReceivedContent } from '@notify/contracts'

const keywords: readonly string[] = ['stop', 'unsubscribe', 'opt out', 'optout']

/**
 * Whether a message revokes consent: the whole text is a keyword, or a button with a keyword was pressed. A sentence that contains
 * a keyword revokes nothing.
 * @returns how the sender revoked
 */
export function readStop({ body, payload }: Pick<ReceivedContent, 'body' | 'payload'>): 'reply' | 'button' | undefined {
  if (payload !== undefined && keywords.includes(keywordOf(payload))) return 'button'
  if (!keywords.includes(keywordOf(body))) return undefined
  return payload === undefined ? 'reply' : 'button'
}
