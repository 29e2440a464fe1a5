import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { parseIndexKeys } from '@notify/privacy'
import { createMessageLinks, type LinkContent } from './message-links.ts'

const content: LinkContent = {
  tenantId: newId('ten'),
  applicationId: newId('app'),
  mode: 'live',
  channel: 'email',
  to: 'ada@example.com',
}

const BLIND_INDEX_KEY = parseIndexKeys(Buffer.alloc(32, 7).toString('base64'))

test.each(['https://api.example.com', 'https://api.example.com/cells/eu1'])(
  'a link of a message is below the public address %s, and opens to its content',
  (PUBLIC_URL) => {
    const { urlOf, open } = createMessageLinks({ BLIND_INDEX_KEY, PUBLIC_URL })
    const url = urlOf(content)
    expect(url.startsWith(`${PUBLIC_URL}/u/`)).toBe(true)
    expect(open(url.slice(`${PUBLIC_URL}/u/`.length))).toEqual(content)
  },
)

const longest = { topic: 't'.repeat(64), locale: 'de-x-'.padEnd(35, 'a') }

test.each<[string, Partial<LinkContent>]>([
  ['email address and user id', { to: `${'a'.repeat(64)}@${'b'.repeat(185)}.com`, userId: '漢'.repeat(255) }],
  ['URL', { channel: 'webhook', to: 'https://example.com/'.padEnd(2048, 'a') }],
])('a link for the longest %s opens to its content', (_, fields) => {
  const { urlOf, open } = createMessageLinks({ BLIND_INDEX_KEY, PUBLIC_URL: 'https://api.example.com' })
  const linked = { ...content, ...longest, ...fields }
  expect(open(urlOf(linked).slice('https://api.example.com/u/'.length))).toEqual(linked)
})
