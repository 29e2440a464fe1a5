import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { Problem } from '@notify/service-kit'
import { startRenderer, untilRenders } from '@notify/test-kit/renderer'
import type { NamedTemplate } from './template-problem.ts'
import { threadCpuMs } from './thread-cpu.ts'

const killed: string[] = []
const renderer = startRenderer({ threads: 2, metrics: { render: (outcome) => void killed.push(outcome) } })
afterAll(() => renderer.close())

const neighbour = newId('ten')
const text = (template: string): NamedTemplate => ({ form: 'text', template, field: 'template_data', part: 'body' })
const html = (template: string): NamedTemplate => ({ ...text(template), form: 'html', part: 'html_body' })
const fill = (template: NamedTemplate, variables: Record<string, unknown> = {}, tenant = newId('ten')) =>
  renderer.fill(tenant, [template], variables)

// The first template starts the threads; a busy machine may refuse it until they run.
beforeAll(() => eventually(() => fill(text('{{ name | upcase }}'), { name: 'Ada' })))

async function refusalOf(work: Promise<unknown>): Promise<Problem> {
  const problem = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(problem instanceof Problem)) throw new Error(`it was no refusal: ${problem}`)
  return problem
}

let before = threadCpuMs()
beforeEach(() => {
  before = threadCpuMs()
})
/** CPU time of this thread in a test: its event loop was never blocked for longer. */
const heldMs = () => threadCpuMs() - before
const fewMs = 400

const loops = '{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}'
/** Liquid checks the clock only between parts of a template. */
const sorting = `{{ list ${'| sort_natural | reverse '.repeat(200)}| size }}`
const list = Array.from({ length: 10_000 }, (_, at) => String((at * 7919) % 10_000))

test('a template without tags is filled in process, one with them in a thread; both say the same of what is missing', async () => {
  expect(await fill(text('Hi {{ name }}'), { name: 'Ada' })).toEqual(['Hi Ada'])
  expect(await fill(text('Hi {{ name | upcase }}'), { name: 'Ada' })).toEqual(['Hi ADA'])
  for (const template of ['{{ order.id }}', '{{ order.id | upcase }}']) {
    expect(await refusalOf(fill(text(template), { order: {} }))).toMatchObject({
      code: 'template_variable_missing',
      errors: [{ path: 'template_data.order.id' }],
    })
  }
})

const long = 'a'.repeat(100_000)

test.each<[string, NamedTemplate, Record<string, unknown>]>([
  ['a large value 2,000 times', html('{{x}}'.repeat(2000)), { x: '<'.repeat(235_000) }],
  ['a large value, filtered', html('{{x|upcase}}'.repeat(2000)), { x: '<'.repeat(235_000) }],
  ['a date of a long format', text('{{ "now" | date: f }}'), { f: '%9999d'.repeat(30_000) }],
  ['a long pattern', text('{{ t | remove_last: p }}'), { t: 'a'.repeat(100_000), p: `b${'a'.repeat(50_000)}` }],
  ['a list that is sorted over and over', text(sorting), { list }],
  ['liquid in liquid', text(`{% ${'liquid '.repeat(2800)} %}`), {}],
  ['200 kB of tags', html('{%if a%}{%endif%}'.repeat(11_000)), { a: 1 }],
  ['200 kB of lines', html(`{% liquid\n${'echo a\n'.repeat(28_000)}%}`), { a: 1 }],
  ['a loop', text(loops), {}],
  ['texts that double', text(`{% assign s = t %}${'{% assign s = s | append: s %}'.repeat(30)}{{ s }}`), { t: long }],
])('%s holds up nothing, and is refused or filled soon', async (_what, template, variables) => {
  const outcome = await fill(template, variables).catch((error: unknown) => error)
  if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'validation_failed', status: 422 })
  expect(heldMs()).toBeLessThan(fewMs)
})

/** One step of seconds within a single filter chain, which Liquid does not interrupt. */
const slowStep = `{{ alike ${'| sort_natural '.repeat(900)}| size }}`
const alike = Array.from({ length: 1000 }, (_, at) => `${'x'.repeat(3000)}${(at * 7919) % 1000}`)

test('a thread that does not stop by itself is killed, and the next template is filled', async () => {
  killed.length = 0
  const problem = await refusalOf(fill(text(slowStep), { alike }))
  expect(problem).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('too long') })
  expect(killed).toContain('killed')
  expect(await fill(text('{{ name | upcase }}'), { name: 'Ada' })).toEqual(['ADA'])
})

/** Keeps every core busy, several times over, until it is ended. */
async function startOthers() {
  const others = Array.from({ length: 20 }, () => new Worker('for (;;) {}', { eval: true }))
  await Promise.all(others.map((other) => once(other, 'online')))
  return { end: () => Promise.all(others.map((other) => other.terminate())) }
}

test('a template has all of its CPU time on a machine that others keep busy', async () => {
  const mild = text('{% for i in (1..1000) %}{% assign n = i | plus: 1 %}{% endfor %}{{ n }}')
  await fill(mild)
  const others = await startOthers()
  try {
    expect(await fill(mild)).toEqual(['1001'])
  } finally {
    await others.end()
  }
})

const canGiveWay = process.platform === 'linux' && getPriority() < constants.priority.PRIORITY_LOW

;(canGiveWay ? test : test.skip)('threads that render give way to the one that answers requests', async () => {
  const priorityOf = async (thread: string) => {
    const stat = await readFile(`/proc/self/task/${thread}/stat`, 'utf8')
    // The name is in parentheses and may contain spaces; the nice value is the 17th field after it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  }
  await fill(text('{{ name | upcase }}'), { name: 'Ada' })
  expect(await priorityOf(String(process.pid))).toBe(getPriority())
  const threads = await readdir('/proc/self/task')
  const all = await Promise.all(threads.map((thread) => priorityOf(thread).catch(() => 0)))
  expect(all.filter((priority) => priority > getPriority()).length).toBeGreaterThanOrEqual(1)
})

test('long templates of one batch are parsed in turns of the event loop of their own', async () => {
  let turns = 0
  const count = () => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const fills = Array.from({ length: 10 }, (_, at) => fill(text(`${at}${'{{x}}'.repeat(1800)}`), { x: '' }))
  expect(await Promise.all(fills)).toEqual(Array.from({ length: 10 }, (_, at) => [String(at)]))
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(9)
})

test('a tenant whose templates take all the time there is delays another tenant by no more than a turn', async () => {
  const hostile = newId('ten')
  const attacks = Array.from({ length: 60 }, () => refusalOf(fill(text(loops), {}, hostile)))
  // Those that are refused after two seconds took no time of anybody.
  let ran = 0
  for (const attack of attacks) void attack.then(({ code }) => code === 'validation_failed' && ran++)
  let most = 0
  for (let n = 0; n < 20; n++) {
    const ranBefore = ran
    expect(await fill(text('{{ n | plus: 1 }}'), { n }, neighbour)).toEqual([`${n + 1}`])
    most = Math.max(most, ran - ranBefore)
  }
  // With a single queue the neighbour would have waited for all of them, or been refused.
  expect(most).toBeLessThan(10)
  expect(new Set((await Promise.all(attacks)).map(({ code }) => code))).toContain('validation_failed')
})

test('templates that have waited for two seconds are refused, so that a batch of slow ones is answered in time', async () => {
  const beganMs = performance.now()
  /** By the code of the answer, when each ended. */
  const ended = new Map<string, number[]>()
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { code } = await refusalOf(fill(text(loops), {}, neighbour))
      ended.set(code, [...(ended.get(code) ?? []), performance.now()])
    }),
  )
  expect(new Set(ended.keys())).toEqual(new Set(['validation_failed', 'rate_limited']))
  const [ran, refused] = [ended.get('validation_failed')!, ended.get('rate_limited')!]
  // The last one that ran began in time; the others were refused when it had ended, however long a busy machine took for it.
  expect(refused[0]! - beganMs).toBeGreaterThan(2000)
  expect((ran.at(-2) ?? beganMs) - beganMs).toBeLessThan(4000)
  expect(refused.at(-1)! - ran.at(-1)!).toBeLessThan(2000)
})

test('templates beyond the tenant’s time are answered 429 with Retry-After, and other tenants’ are not', async () => {
  const sparing = startRenderer({ msPerSecond: 100 })
  const hostile = newId('ten')
  try {
    await untilRenders(sparing)
    const problems = await Promise.all(
      Array.from({ length: 20 }, () => refusalOf(sparing.fill(hostile, [text(loops)], {}))),
    )
    const limited = problems.filter(({ code }) => code === 'rate_limited')
    expect(limited.length).toBeGreaterThan(5)
    expect(limited[0]?.headers).toEqual({ 'Retry-After': '1' })
    expect(await sparing.fill(neighbour, [text('{{ "a" | upcase }}')], {})).toEqual(['A'])
  } finally {
    await sparing.close()
  }
})

test('a tenant that has used up its rendering budget still renders templates of plain placeholders', async () => {
  const sparing = startRenderer({ msPerSecond: 10 })
  const tenant = newId('ten')
  try {
    const problems = Promise.all(Array.from({ length: 20 }, () => refusalOf(sparing.fill(tenant, [text(loops)], {}))))
    for (let n = 0; n < 50; n++) expect(await sparing.fill(tenant, [text('Hi {{ n }}')], { n })).toEqual([`Hi ${n}`])
    expect((await problems).map(({ code }) => code)).toContain('rate_limited')
    expect(await sparing.fill(tenant, [text('Hi {{ name }}')], { name: 'Ada' })).toEqual(['Hi Ada'])
  } finally {
    await sparing.close()
  }
})

test('texts far longer than those of others are answered 429 when a tenant has many of them', async () => {
  const sparing = startRenderer({ msPerSecond: 100 })
  const tenant = newId('ten')
  try {
    const long = { x: 'x'.repeat(1000) }
    const template = html('{{x}}'.repeat(900))
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => sparing.fill(tenant, [template], long).catch((error: Problem) => error.code)),
    )
    expect(outcomes.filter((one) => one === 'rate_limited').length).toBeGreaterThan(10)
    // Nothing of a message that is refused is put together, so a crowd of them takes no time.
    expect(heldMs()).toBeLessThan(fewMs)
    expect(() => sparing.charge(tenant, 900_000)).toThrow(Problem)
    expect(() => sparing.charge(newId('ten'), 900_000)).not.toThrow()
    expect(await sparing.fill(tenant, [text('Hi {{ x }}')], { x: 'Ada' })).toEqual(['Hi Ada'])
  } finally {
    await sparing.close()
  }
})

test('six emails of 900,000 characters are taken at once; what is refused after them names their size', async () => {
  const usual = startRenderer({ msPerSecond: 500 })
  const tenant = newId('ten')
  try {
    for (let n = 0; n < 6; n++) usual.charge(tenant, 900_000)
    const crowd = () => Array.from({ length: 20 }, () => usual.charge(tenant, 900_000))
    expect(crowd).toThrow('This tenant sends too much text in messages over 50000 characters')
  } finally {
    await usual.close()
  }
})

test('a message that is charged in two parts costs as much as in one, and the first part lets it in', async () => {
  const sparing = startRenderer({ msPerSecond: 1 })
  const tenant = newId('ten')
  try {
    sparing.charge(tenant, 40_000)
    expect(() => sparing.charge(tenant, 900_000, 40_000)).not.toThrow()
    expect(() => sparing.charge(tenant, 40_000)).not.toThrow()
    expect(() => sparing.charge(tenant, 40_000, 40_000)).toThrow(Problem)
    expect(() => sparing.charge(tenant, 900_000, 60_000)).not.toThrow()
  } finally {
    await sparing.close()
  }
})

test('other work counts like templates: a tenant over its CPU time is answered 429, and another tenant’s work is done', async () => {
  const sparing = startRenderer({ msPerSecond: 1 })
  const tenant = newId('ten')
  const work = () => {
    const endsMs = threadCpuMs() + 30
    let rounds = 0
    while (threadCpuMs() < endsMs) rounds += 1
    return rounds
  }
  try {
    expect(await sparing.inTurn(tenant, work)).toBeGreaterThan(0)
    expect(await refusalOf(sparing.inTurn(tenant, work))).toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '1' },
    })
    expect(await refusalOf(sparing.fill(tenant, [text('{{ n | plus: 1 }}')], { n: 1 }))).toMatchObject({
      code: 'rate_limited',
    })
    expect(await sparing.inTurn(neighbour, work)).toBeGreaterThan(0)
  } finally {
    await sparing.close()
  }
})

test('faults of a template are reported without rendering it', async () => {
  expect(await renderer.faultOf(neighbour, text('{{ a | upcase }}{{ b.c }}'))).toBeUndefined()
  expect(await renderer.faultOf(neighbour, text('{{ a | explode }}'))).toMatch(/explode/)
  expect(await renderer.faultOf(neighbour, text('{{ a'))).toEqual(expect.any(String))
  expect(await renderer.faultOf(neighbour, text('x'.repeat(20_001)))).toMatch(/20000 characters/)
})

test('of several texts the first fault is reported', async () => {
  const texts = [text('{{ a | explode }}'), text('{{ missing }}')]
  expect(await refusalOf(renderer.fill(neighbour, texts, {}))).toMatchObject({ code: 'validation_failed' })
})
