import { expect, test } from '@jest/globals'
import { readEmailAddress } from './read-email-address.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['Ada.Lovelace+orders@Example.COM', 'Ada.Lovelace+orders@example.com'],
  ["o'hara_{x}!#$%&*/=?^`|~-@mail.example.co.uk", "o'hara_{x}!#$%&*/=?^`|~-@mail.example.co.uk"],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
  ['a@1.example', 'a@1.example'],
])('%s is written %s', (text, address) => {
  expect(readEmailAddress(text)).toEqual({ address })
})

test.each([
  ['', /one address/],
  ['ada', /one address/],
  ['@example.com', /one address/],
  ['ada@', /one address/],
  ['ada@@example.com', /one address/],
  ['ada@eve@example.com', /one address/],
  ['Ada<ada@example.com>', /domain name/],
  ['Ada <ada@example.com>', /spaces/],
  ['ada@example.com, eve@example.com', /spaces/],
  ['ada@example.com,eve@example.com', /domain name|one address/],
  ['ada@example.com\r\nBcc: all@example.com', /line breaks/],
  ['ada@example.com\n', /line breaks/],
  ['ada\0@example.com', /control characters/],
  ['ada\u0085@example.com', /control characters/],
  ['ada\u2028@example.com', /line breaks/],
  ['ada@example.com\u00a0', /spaces/],
  ['"ada lovelace"@example.com', /spaces/],
  ['"ada"@example.com', /quotes/],
  ['.ada@example.com', /one address/],
  ['ada.@example.com', /one address/],
  ['a..da@example.com', /one address/],
  ['ada(comment)@example.com', /one address/],
  ['ada@localhost', /one address/],
  ['ada@example', /one address/],
  ['ada@example.com.', /one address/],
  ['ada@.example.com', /one address|domain name/],
  ['ada@-example.com', /one address/],
  ['ada@exa_mple.com', /domain name/],
  ['ada@127.0.0.1', /one address/],
  ['ada@0x7f.1', /one address/],
  ['ada@2130706433', /one address/],
  ['ada@[127.0.0.1]', /domain name/],
  ['ada@[IPv6:::1]', /domain name/],
  ['ada@exam%70le.com', /domain name/],
  ['ada@example.com:25', /domain name/],
  ['ada@example.com/x', /domain name/],
  ['zoë@example.com', /ASCII before the @.*SMTPUTF8/],
  ['用户@例え.テスト', /ASCII before the @/],
  ['ада@example.com', /ASCII before the @/],
  [`${'x'.repeat(65)}@example.com`, /64 characters before the @/],
  [`ada@${'例え中文字漢仮名交.'.repeat(10)}example`, /domain name|in ASCII/],
  [`ada@${'x'.repeat(64)}.example`, /one address/],
])('%j is refused with a reason', (text, why) => {
  expect(readEmailAddress(text).fault).toMatch(why)
})

test.each([
  ['of one letter', 'x'.repeat(10_000)],
  ['of dots', `${'a.'.repeat(5000)}@example.com`],
  ['of @', '@'.repeat(10_000)],
  ['of an endless domain', `a@${'b.'.repeat(5000)}com`],
  ['of letters that shrink', `a@${'\u00ad'.repeat(10_000)}example.com`],
])('10,000 characters %s are refused at once', (_what, text) => {
  // Processor time, so that a busy machine changes nothing.
  const before = process.threadCpuUsage()
  const faults = Array.from({ length: 1000 }, () => readEmailAddress(text).fault)
  const { user } = process.threadCpuUsage(before)
  expect(new Set(faults)).toEqual(new Set(['must have at most 254 characters']))
  expect(user / 1000).toBeLessThan(500)
})

test('the longest address that there may be is read at once, and so is one that nearly is one', () => {
  const before = process.threadCpuUsage()
  const domain = `${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(57)}.com`
  const longest = `${'x'.repeat(64)}@${domain}`
  expect(longest).toHaveLength(254)
  expect(readEmailAddress(longest)).toEqual({ address: longest })
  expect(readEmailAddress(`${'x.'.repeat(32)}@${domain.slice(0, 180)}!`).fault).toBeDefined()
  expect(readEmailAddress(`${'a-'.repeat(32)}@${'a-'.repeat(90)}.com`).fault).toBeDefined()
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(200)
})
