import { afterAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { InTurn } from '@notify/templates'
import { startRenderer } from '@notify/test-kit/renderer'
import { conversionFault, textOfHtml } from './text-of-html.ts'

const atOnce: InTurn = async (work) => work()
const textOf = async (html: string) => {
  const made = await textOfHtml(html, atOnce)
  return 'text' in made ? made.text : made.fault
}

test('paragraphs, links and tables become text', async () => {
  const html =
    '<h1>Hi</h1><p>See <a href="https://shop.example/1">it</a></p><table><tr><td>Total</td><td>5</td></tr></table>'
  expect(await textOf(html)).toBe('Hi\n\nSee it (https://shop.example/1)\n\nTotal 5')
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
  expect(await textOf(html)).toBe(text)
})

test.each([
  [
    '<p>Buy</p><ol><li>Milk<li>Tea<ul><li>green<br>or<p>black</p><li>white</ul><li>Rum</ol><p>Bye</p>',
    'Buy\n\n 1. Milk\n 2. Tea\n    * green\n      or\n\n      black\n\n    * white\n 3. Rum\n\nBye',
  ],
  ['<ul> <!-- a --> <li><ul><li>a</ul> <li><p>b</p></ul>', '* * a\n\n * b'],
  ['<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>', '* a\n   * b\n     * c'],
  [`<ol>${'<li>a'.repeat(10)}</ol>`, `1.  a${[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `\n ${n}.  a`).join('')}\n 10. a`],
  ['<ol type=i start=3><li>a<li>b</ol>', 'iii. a\n iv.  b'],
  ['<ol type=I start=3999><li>a<li>b</ol>', 'MMMCMXCIX. a\n 4000.      b'],
  ['<ol type=a start=26><li>a<li>b</ol>', 'z.  a\n aa. b'],
  ['<ol type=A start=0><li>a<li>b</ol>', '0. a\n A. b'],
  ['<ol start=-1><li>a</ol>', '-1. a'],
  ...['1e21', '0.5', 'Infinity', '1234567890', '-1.2345678901234567e-300'].map((start) => [
    `<ol type=a start=${start}><li>a</ol>`,
    'a. a',
  ]),
])('the items of %s are numbered, and their lines aligned', async (html, text) => {
  expect(await textOf(html)).toBe(text)
})

test.each(['i', 'I'])('a list of type %s from 10000 on is decimal', async (type) => {
  expect(await textOf(`<ol type="${type}" start="10000"><li>x</li></ol>`)).toBe('10000. x')
})

test('each line of a quote is marked', async () => {
  const html = 'You wrote:<blockquote><p>Hi</p>a<blockquote>b<br>c</blockquote>d<ul><li>e<br>f</ul></blockquote>Yes'
  expect(await textOf(html)).toBe('You wrote:\n\n> Hi\n>\n> a\n>\n> > b\n> > c\n>\n> d\n>  * e\n>    f\n\nYes')
})

test('a link in a link that lacks its end is written with its address', async () => {
  expect(await textOf('<a href="https://a.example">a <a href="mailto:b@c.example">b</a> <a href="#d">d</a>')).toBe(
    'a b (b@c.example) d (https://a.example)',
  )
})

const deep = '<ol start="-1.2345678901234567e-300"><li>'
const lines = (count: number) => `<pre>a${'\na'.repeat(count)}</pre>`

test.each<[string, string]>([
  ['a cell over a billion rows', '<table class=data><tr><td rowspan=999999999>x</table>'],
  ['a cell over millions of columns', '<table class="data"><tr><td colspan=3000000>x</table>'],
  ['25,000 cells', `<table class=data><tr>${'<td>x'.repeat(20_000)}`.slice(0, 100_000)],
  ['links in links', '<a>'.repeat(33_333)],
  ['words in 95 links', '<a href=x>'.repeat(95) + 'a '.repeat(49_000)],
  ['5,000 lines in 49 lists', deep.repeat(49) + lines(5000)],
  ['48,000 lines in 20 lists', deep.repeat(20) + lines(48_000)],
  ['48,000 lines in 90 quotes', '<blockquote>'.repeat(90) + lines(48_000)],
  ['48,000 lines in 30 tables', '<table><tr><td>'.repeat(30) + lines(47_000)],
  ['lists in each other beside each other', `${'<ul><li>x'.repeat(45)}${'</ul>'.repeat(45)}`.repeat(74)],
])(
  '%s do not keep the process busy',
  async (_what, html) => {
    await textOfHtml(html, atOnce)
    const started = process.threadCpuUsage()
    for (let times = 0; times < 5; times += 1) await textOfHtml(html, atOnce)
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(2000)
  },
  60_000,
)

test('a text is at most twenty times as long as its HTML, and has at most a million characters', async () => {
  const short = deep.repeat(49) + lines(5000)
  expect((await textOf(short)).length).toBeLessThan(20 * short.length)
  for (const html of [deep.repeat(20) + lines(48_000), '<blockquote>'.repeat(90) + '<br>'.repeat(9000)])
    expect((await textOf(html)).length).toBeLessThan(1_000_000)
  expect(await textOf('<blockquote>'.repeat(90) + lines(48_000))).toBe('gives a text of more than 1000000 characters')
})

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
  expect(await textOf(nested(90))).toBe('Before\n\nHello')
  expect(await textOf(nested(101))).toBe('has elements nested more than 100 deep')
})

const renderer = startRenderer()
afterAll(() => renderer.close())

test('an email waits for at most two texts of another tenant, however many of them are to be made', async () => {
  const made: string[] = []
  const make = async (tenant: string) => {
    await textOfHtml('<p>x'.repeat(500), (work) => renderer.inTurn(tenant, work))
    made.push(tenant)
  }
  const [busy, neighbour] = [newId('ten'), newId('ten')]
  await Promise.all([...Array.from({ length: 50 }, () => make(busy)), make(neighbour)])
  expect(made.length).toBe(51)
  expect(made.indexOf(neighbour)).toBeLessThanOrEqual(2)
})

test.each([
  ['5,000 characters', 'x'.repeat(5000), 0],
  ['5,001 characters', 'x'.repeat(5001), 1],
  ['100 tags', '<p>x'.repeat(100), 0],
  ['101 tags', '<p>x'.repeat(101), 1],
])('HTML of %s is converted in the turn of its tenant only if that takes a while', async (_what, html, turns) => {
  let taken = 0
  await textOfHtml(html, async (work) => {
    taken += 1
    return work()
  })
  expect(taken).toBe(turns)
})
