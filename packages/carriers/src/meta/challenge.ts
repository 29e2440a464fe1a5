import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from '@notify/service-kit'
import type { Received } from '../receiver.ts'

const longestChallenge = 200

/**
 * Echoes the challenge by which Meta verifies a callback URL.
 * @throws Problem `permission_denied` when the token differs
 */
export function answerChallenge(verifyToken: string | null | undefined, url: string): Received {
  const { searchParams } = new URL(url, 'http://localhost')
  const challenge = searchParams.get('hub.challenge') ?? ''
  const token = searchParams.get('hub.verify_token') ?? ''
  const isAsked = searchParams.get('hub.mode') === 'subscribe' && /^[\w.-]+$/.test(challenge)
  if (!isAsked || challenge.length > longestChallenge || !verifyToken || !isSame(token, verifyToken)) {
    throw new Problem(
      'permission_denied',
      'hub.verify_token is not the one of this URL, or the request is not a challenge',
    )
  }
  return { reports: [], answer: challenge, handshake: true }
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
