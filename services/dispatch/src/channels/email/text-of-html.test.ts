import { expect, test } from '@jest/globals'
import { conversionFault, textOfHtml } from './text-of-html.ts'

test('paragraphs, links and tables become text', async () => {
  const html =
    '<h1>Hi</h1><p>See <a href="https://shop.example/1">it</a></p><table><tr><td>Total</td><td>5</td></tr></table>'
  expect(await textOfHtml(html)).toBe('Hi\n\nSee it (https://shop.example/1)\n\nTotal 5')
})

test.each([
  [
    '<table><tr><th>No</th><th>Price</th></tr><tr><td>2</td><td>10.00</td></tr><tr><td>Total</td><td>20.00</td></tr></table>',
    'No Price\n2 10.00\nTotal 20.00',
  ],
  ['<table><tbody><tr><td>a<td><b>b</b><td>c</table>', 'a b c'],
  ['<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr><tr><td>c</td></tr></table>', 'a b\n\nc'],
  ['<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a\n\nb'],
  ['<table><tr><td>a</td><td></td></tr></table><p>b</p>', 'a\n\nb'],
])('rows of %s are lines, and cells stay apart', async (html, text) => {
  expect(await textOfHtml(html)).toBe(text)
})

test.each<[string, string]>([
  ['a cell over a billion rows', '<table class=data><tr><td rowspan=999999999>x</table>'],
  ['a cell over millions of columns', '<table class="data"><tr><td colspan=3000000>x</table>'],
  ['25,000 cells', `<table class=data><tr>${'<td>x'.repeat(20_000)}`.slice(0, 100_000)],
  ['links in links', '<a>'.repeat(33_333)],
])(
  '%s does not keep the process busy',
  async (_what, html) => {
    const started = process.cpuUsage()
    await textOfHtml(html)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000)
  },
  20_000,
)

test.each<[string, string, RegExp]>([
  ['33,333 links in links', '<a>'.repeat(33_333), /more than 10000 tags/],
  ['100,001 characters', 'x'.repeat(100_001), /more than 100000 characters/],
])('of %s no text is made', (_what, html, why) => {
  expect(conversionFault(html)).toMatch(why)
})

test('of 10,000 tags and 100,000 characters a text is made', () => {
  expect(conversionFault('<a>'.repeat(10_000).padEnd(100_000, 'x'))).toBeUndefined()
})

test('a text is made of the whole or not at all: elements that lie too deep are not left out of it', async () => {
  const nested = (depth: number) => `<p>Before</p>${'<div>'.repeat(depth)}Hello${'</div>'.repeat(depth)}`
  expect(await textOfHtml(nested(90))).toBe('Before\n\nHello')
  expect(await textOfHtml(nested(101))).toBeUndefined()
})
