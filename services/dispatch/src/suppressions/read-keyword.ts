import { keywordOf } from '@notify/contracts'

const keywords: Record<'stop' | 'start', readonly string[]> = {
  stop: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out'],
  start: ['start', 'unstop', 'yes'],
}

const meanings = new Map(
  (['stop', 'start'] as const).flatMap((meaning) => keywords[meaning].map((word) => [word, meaning] as const)),
)

/**
 * Whether a message is a wish to be left alone, or to hear from us again. The whole message is the keyword, whatever its
 * case, inner white space and trailing punctuation; a sentence that contains one is none.
 * @param optOutType what the carrier itself understood (`STOP`, `START`, `HELP`), in whatever language the message was:
 * it counts before the words
 * @see https://help.twilio.com/articles/223134027 (the keywords that Twilio acts on)
 */
export function readKeyword(body: string, optOutType?: string): 'stop' | 'start' | undefined {
  return meanings.get((optOutType ?? '').trim().toLowerCase() || keywordOf(body))
}
