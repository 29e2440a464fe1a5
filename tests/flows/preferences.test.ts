import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { freshAddress } from '@notify/test-kit/email'
// Each defines the tests of its subject; all use one stack.
import './preferences/links.ts'
import './preferences/page.ts'
import './preferences/users.ts'
import { addTopic, env, follow, mail, oneClick, startStack } from './preferences/stack.ts'

beforeAll(startStack)
afterAll(() => env?.stop())

// The last one: it uses up the limit of its address.
test('junk beyond the limit of its address is refused, and a valid link from there is not', async () => {
  const { url } = await mail(freshAddress(), await addTopic())
  const junk = `${url.slice(0, url.lastIndexOf('/'))}/junk`
  await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => follow(junk)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
    const limited = answers.find(({ status }) => status === 429)!
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(limited.text).toContain('Please try again')
    expect((await oneClick(url)).status).toBe(200)
  })
})
