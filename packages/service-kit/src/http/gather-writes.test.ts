import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, jest, test } from '@jest/globals'
import { gather } from './gather-writes.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function socketPair(): Promise<{ writer: Socket; reader: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number }
  const writer = dial(address.port, '127.0.0.1')
  const [reader] = (await once(server, 'connection')) as [Socket]
  open.push(() => {
    writer.destroy()
    reader.destroy()
    server.close()
  })
  return { writer, reader }
}

function write(socket: Socket, chunk: string): void {
  gather(socket)
  socket.write(chunk)
}

test('lines written in one turn of the event loop leave together, in order', async () => {
  const { writer, reader } = await socketPair()
  const calls = jest.spyOn(writer, '_writev' as never)
  for (const chunk of ['a', 'b', 'c']) write(writer, chunk)
  expect(writer.writableLength).toBe(3)
  await new Promise(setImmediate)
  expect(calls).toHaveBeenCalledTimes(1)
  write(writer, 'd')
  writer.end()
  expect(await text(reader)).toBe('abcd')
})

test('a long burst does not wait for the end of the turn', async () => {
  const { writer, reader } = await socketPair()
  const chunk = 'x'.repeat(40 * 1024)
  write(writer, chunk)
  write(writer, chunk)
  const writes = jest.spyOn(writer, '_writev' as never)
  write(writer, chunk)
  expect(writes).toHaveBeenCalledTimes(1)
  writer.end()
  expect(await text(reader)).toHaveLength(3 * chunk.length)
})

test('a socket that is gone in the meantime disturbs no other', async () => {
  const [gone, other] = [await socketPair(), await socketPair()]
  write(gone.writer, 'lost')
  gone.writer.destroy()
  write(other.writer, 'kept')
  other.writer.end()
  expect(await text(other.reader)).toBe('kept')
})
