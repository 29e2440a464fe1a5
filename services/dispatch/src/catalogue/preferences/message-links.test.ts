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

test.each(['https://api.example.com', 'https://api.example.com/cells/eu1'])(
  'a link of a message is below the public address %s, and opens to its content',
  (PUBLIC_URL) => {
    const BLIND_INDEX_KEY = parseIndexKeys(Buffer.alloc(32, 7).toString('base64'))
    const { urlOf, open } = createMessageLinks({ BLIND_INDEX_KEY, PUBLIC_URL })
    const url = urlOf(content)
    expect(url.startsWith(`${PUBLIC_URL}/u/`)).toBe(true)
    expect(open(url.slice(`${PUBLIC_URL}/u/`.length))).toEqual(content)
  },
)
