import { expect, test } from '@jest/globals'
import { type Linked, planOrder } from './plan-order.ts'

const idOf = (letter: string) => `notif_${letter}` as const
const item = (letter: string, after?: string): Linked => ({
  notification_id: idOf(letter),
  after: after === undefined ? null : idOf(after),
})
const plan = (received: Linked[], stored: string[] = [], waiting: Linked[] = []) =>
  planOrder(received, { stored: new Set(stored.map(idOf)), waiting })

test.each<[string, Linked[], string[], Linked[], string[], string[]]>([
  ['what follows none is stored as it came', [item('b'), item('a')], [], [], ['b', 'a'], []],
  [
    'what came too early in a batch is put behind its predecessor',
    [item('c', 'b'), item('b', 'a'), item('a')],
    [],
    [],
    ['a', 'b', 'c'],
    [],
  ],
  ['what follows a stored one is stored', [item('b', 'a')], ['a'], [], ['b'], []],
  [
    'what follows an unknown one waits, and so does what follows that',
    [item('c', 'b'), item('b', 'a')],
    [],
    [],
    [],
    ['c', 'b'],
  ],
  [
    'what waited is stored behind what it waited for',
    [item('a')],
    [],
    [item('c', 'b'), item('b', 'a')],
    ['a', 'b', 'c'],
    [],
  ],
  ['what waits for another stays', [item('x')], [], [item('c', 'b')], ['x'], []],
  ['what is stored is not stored again', [item('a'), item('b', 'a')], ['a', 'b'], [], [], []],
  ['what waits is not kept twice', [item('c', 'b')], [], [item('c', 'b')], [], []],
  [
    'a repetition without a predecessor ends the wait, and that of what follows',
    [item('b')],
    [],
    [item('b', 'a'), item('c', 'b')],
    ['b', 'c'],
    [],
  ],
  ['of two copies the one without a predecessor counts', [item('b'), item('b', 'a')], [], [], ['b'], []],
  [
    'what follows itself or each other waits',
    [item('a', 'a'), item('b', 'c'), item('c', 'b')],
    [],
    [],
    [],
    ['a', 'b', 'c'],
  ],
])('%s', (_, received, stored, waiting, ready, early) => {
  expect(plan(received, stored, waiting)).toEqual({
    ready: ready.map(idOf),
    early: early.map(idOf),
    held: [],
    behind: [],
  })
})

test('one that may not be stored yet is held, and what follows it goes on waiting', () => {
  const known = { stored: new Set<string>(), waiting: [item('b', 'a'), item('c', 'b')] }
  const received = [item('d', 'c'), item('a'), item('x')]
  expect(planOrder(received, known, (id) => id !== idOf('b'))).toEqual({
    ready: ['a', 'x'].map(idOf),
    early: [idOf('d')],
    held: [idOf('b')],
    behind: ['c', 'd'].map(idOf),
  })
})
