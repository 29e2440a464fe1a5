import { expect, test } from '@jest/globals'
import { pino } from 'pino'
import { StalledReaders } from './stalled-readers.ts'

test('readers that were disconnected together are one warning, without a stack', async () => {
  const lines: string[] = []
  const { promise: warned, resolve } = Promise.withResolvers<void>()
  const write = (line: string) => {
    lines.push(line)
    resolve()
  }
  const log = pino({ base: null, timestamp: false }, { write })
  const readers = new StalledReaders(log, { forMs: 20 })
  for (let n = 0; n < 16; n++) readers.add({ route: 'exportActivity', tenant_id: `ten_${n % 2}` })
  await warned
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 40,
      readers: 16,
      routes: ['exportActivity'],
      tenant_ids: ['ten_0', 'ten_1'],
      msg: 'readers that took nothing of their responses were disconnected',
    },
  ])
})
