import { expect, test } from '@jest/globals'
import { KnownAnswers } from './known-answers.ts'

const versioned = (etag: string, body: string) =>
  new Response(body, { headers: { etag, 'content-type': 'application/json' } })

test('304 stands for the answer that is known, and another version replaces it', async () => {
  const known = new KnownAnswers()
  expect(known.versionOf('/a')).toBeUndefined()
  expect(await (await known.read('/a', versioned('W/"1"', '[1]'))).text()).toBe('[1]')
  for (const _again of [1, 2]) {
    expect(known.versionOf('/a')).toBe('W/"1"')
    const same = await known.read('/a', new Response(null, { status: 304 }))
    expect([same.status, same.headers.get('content-type'), await same.text()]).toEqual([200, 'application/json', '[1]'])
  }
  await known.read('/a', versioned('W/"2"', '[2]'))
  expect(known.versionOf('/a')).toBe('W/"2"')
})

test('refusals are not kept, and of many answers the latest used ones are', async () => {
  const known = new KnownAnswers()
  await known.read('/refused', new Response('{}', { status: 404, headers: { etag: 'W/"1"' } }))
  expect(known.versionOf('/refused')).toBeUndefined()
  await known.read('/first', versioned('W/"1"', '1'))
  await known.read('/second', versioned('W/"1"', '1'))
  for (let at = 0; at < 49; at++) {
    await known.read('/first', new Response(null, { status: 304 }))
    await known.read(`/${at}`, versioned('W/"1"', '1'))
  }
  expect([known.versionOf('/first'), known.versionOf('/second')]).toEqual(['W/"1"', undefined])
})
