import { expect, test } from '@jest/globals'
import pino from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { createTracer, isTraceparent, passingTracer } from './tracing.ts'

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const unsampled = `${parent.slice(0, -2)}00`

test('without an endpoint the trace of the caller is handed on untouched, and none begins', async () => {
  const lifecycle = new Lifecycle(pino({ level: 'silent' }))
  const options = { service: 'dispatch', endpoint: undefined, sampleRatio: 1 }
  expect(await createTracer(options, lifecycle)).toBe(passingTracer)
  expect(passingTracer.start('step', { parent }).traceparent).toBe(parent)
  expect(passingTracer.start('step', { parent: unsampled }).traceparent).toBe(unsampled)
  expect(passingTracer.start('step', { edge: true }).traceparent).toBeUndefined()
  expect(passingTracer.start('step', { parent }).recording).toBe(false)
})

test.each([
  [0, false, '00'],
  [1, true, '01'],
])(
  'at ratio %d the flag of an external caller forces no sampling; the trace goes on',
  async (sampleRatio, is, flags) => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }))
    const tracer = await createTracer({ service: 'gateway', endpoint: 'http://127.0.0.1:9', sampleRatio }, lifecycle)
    const span = tracer.start('step', { parent, edge: true, outside: true })
    expect(span.recording).toBe(is)
    expect(span.traceparent!.slice(3, 35)).toBe(parent.slice(3, 35))
    expect(span.traceparent!.slice(-2)).toBe(flags)
    // The services behind obey what the edge decided.
    expect(tracer.start('next', { parent: span.traceparent, edge: true }).recording).toBe(is)
    expect(tracer.start('step', { parent: unsampled, edge: true, outside: true }).recording).toBe(false)
  },
)

test('a span that records nothing may be used like any other', () => {
  const span = passingTracer.start('step', { parent })
  span.set({ 'notification.id': 'notif_1' })
  span.end(new Error('failed'))
  expect(span.traceparent).toBe(parent)
})

test.each([
  [parent, true],
  [unsampled, true],
  [undefined, false],
  ['', false],
  [parent.toUpperCase(), false],
  [`${parent}-extra`, false],
  [parent.replace('00-', 'ff-'), false],
  [`${parent}\r\nx-evil: 1`, false],
])('%j is a trace context: %s', (text, is) => {
  expect(isTraceparent(text)).toBe(is)
})
