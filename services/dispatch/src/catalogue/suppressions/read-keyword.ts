import { keywordOf } from '@notify/contracts'

const keywords: Record<'stop' | 'start', readonly string[]> = {
  stop: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out'],
  start: ['start', 'unstop', 'yes'],
}

const meanings = new Map(
  (['stop', 'start'] as const).flatMap((meaning) => keywords[meaning].map((word) => [word, meaning] as const)),
)

/**
 * Recognises opt-out and opt-in keywords. The keyword must be the whole message; case, inner white space and trailing
 * punctuation do not matter.
 * @param optOutType the carrier's own result (`STOP`, `START`, `HELP`), in any language; takes precedence over the text
 * @see https://help.twilio.com/articles/223134027 (the keywords that Twilio acts on)
 */
export function readKeyword(body: string, optOutType?: string): 'stop' | 'start' | undefined {
  return meanings.get((optOutType ?? '').trim().toLowerCase() || keywordOf(body))
}
