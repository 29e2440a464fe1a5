import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { defineStream } from '@notify/contracts'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { z } from 'zod'
import { EventWriter } from './event-writer.ts'
import { OpenStreams, streamLimits } from './open-streams.ts'

const parcels = defineStream({
  name: 'parcelStream',
  service: 'inbox-stream',
  path: '/parcels',
  summary: 'Parcels',
  events: { parcel: z.object({ text: z.string() }) },
  errors: [],
})
type Writer = EventWriter<typeof parcels>

const neverOpened = () => {
  throw new Error('the stream was opened')
}

let end = () => {}
afterEach(() => end())

/** What a reader receives of a stream, once it has ended. */
async function readOf(write: (writer: Writer, streams: OpenStreams) => void): Promise<{ text: string; kit: TestKit }> {
  const kit = createTestKit('inbox-stream')
  const streams = new OpenStreams(kit, { ...streamLimits, beatMs: 20, sweepMs: 10 })
  const closed = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.on('close', closed.resolve)
    const open = () => streams.open(response, {}, 'ten_1')
    write(new EventWriter(response, open, streamLimits.maxBufferedBytes), streams)
  }).listen(0, '127.0.0.1')
  end = () => void server.close()
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve) => get(`http://127.0.0.1:${port}`, resolve))
  const chunks: Buffer[] = []
  answer.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A stream is never complete.
  await expect(once(answer, 'end')).rejects.toThrow('aborted')
  await closed.promise
  return { text: Buffer.concat(chunks).toString(), kit }
}

test('an event is written in its fields, and text with line breaks stays one event', async () => {
  const { text, kit } = await readOf((writer) => {
    writer.send({ event: 'parcel', id: 7, data: { text: 'a\n\nevent: parcel' } })
    writer.end()
  })
  expect(text).toBe('id: 7\nevent: parcel\ndata: {"text":"a\\n\\nevent: parcel"}\n\n')
  expect(kit.counted('http_server_streams_closed_total', { reason: 'service' })).toBe(1)
})

test.each(['a\nb', 'a\rb', 'a\0b'])('an id that would end its field is an error: %j', async (id) => {
  const refused = Promise.withResolvers<unknown>()
  await readOf((writer) => {
    writer.open()
    try {
      writer.send({ event: 'parcel', id, data: { text: '' } })
    } catch (error) {
      refused.resolve(error)
    }
    writer.end()
  })
  expect(await refused.promise).toBeInstanceOf(TypeError)
})

test('events do not take the place of a heartbeat of the handler', async () => {
  const { text } = await readOf((writer) => {
    const send = (text: string) => writer.send({ event: 'parcel', data: { text } })
    const busy = setInterval(() => send('news'), 5)
    writer.onHeartbeat(() => {
      clearInterval(busy)
      send('beat')
      writer.end()
    })
    send('news')
  })
  expect(text).toContain('news')
  expect(text).toContain('beat')
})

test('a heartbeat of the handler takes the place of the comment', async () => {
  const { text } = await readOf((writer) => {
    let beats = 0
    writer.onHeartbeat(() => {
      writer.send({ event: 'parcel', data: { text: 'beat' } })
      beats++
      if (beats === 2) writer.end()
    })
    writer.open()
  })
  expect(text).toBe('event: parcel\ndata: {"text":"beat"}\n\n'.repeat(2))
})

test('a draining process ends its streams with the time to come back after, and opens none', async () => {
  const refused = Promise.withResolvers<unknown>()
  const { text } = await readOf((writer, streams) => {
    writer.open()
    streams.drain()
    try {
      streams.requireRoom('ten_1')
    } catch (error) {
      refused.resolve(error)
    }
  })
  expect(text).toMatch(/^retry: \d{4}\n\n$/)
  expect(await refused.promise).toMatchObject({ code: 'service_unavailable' })
})

test('a stream that is ended before it is open takes no room then, and ends when it opens', async () => {
  const unopened: Writer = new EventWriter({ destroyed: false } as ServerResponse, neverOpened, 0)
  expect(() => unopened.end()).not.toThrow()
  const { text, kit } = await readOf((writer) => {
    writer.end()
    writer.send({ event: 'parcel', data: { text: 'late' } })
  })
  expect(text).toBe('')
  expect(kit.counted('http_server_streams_closed_total', { reason: 'service' })).toBe(1)
})

test('a connection that was closed before the writer was made is reported at once', async () => {
  const told = Promise.withResolvers<boolean>()
  const server = createServer((_request, response) => {
    response.on('close', () => {
      const writer: Writer = new EventWriter(response, neverOpened, streamLimits.maxBufferedBytes)
      writer.onClose(() => told.resolve(writer.isClosed))
    })
    response.destroy()
  }).listen(0, '127.0.0.1')
  end = () => void server.close()
  await once(server, 'listening')
  get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).on('error', () => {})
  expect(await told.promise).toBe(true)
})
