import { request as httpRequest } from 'node:http'
import { expect, test } from '@jest/globals'
import { createApp, listen } from '../../src/http/server.ts'
import { Lifecycle } from '../../src/lifecycle.ts'
import { afterNextPoll } from '../../src/loop-turns.ts'
import { base, call, lifecycle, log, port } from './mounted.ts'

test('a caller that goes away in the middle of its body harms nobody', async () => {
  const outgoing = httpRequest(`${base}/api/v1/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  })
  outgoing.on('error', () => {})
  outgoing.write('{"a":')
  await new Promise<void>((resolve) => outgoing.once('socket', (socket) => socket.once('connect', () => resolve())))
  await new Promise(setImmediate)
  outgoing.destroy()
  expect((await call('POST', '/api/v1/echo', '1')).status).toBe(201)
})

test('a drain answers what is under way and takes nothing new', async () => {
  const ending = new Lifecycle(log)
  const app = createApp()
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const { promise: may, resolve: allow } = Promise.withResolvers<void>()
  app.get('/slow', async (_request, response) => {
    onAsked()
    await may
    response.json('done')
  })
  const { port: own } = await listen(
    { app },
    { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' },
    { log, lifecycle: ending },
  )
  const answer = fetch(`http://127.0.0.1:${own}/slow`)
  await asked
  const stopped = ending.stop()
  // What had arrived before is still read.
  await afterNextPoll()
  await expect(fetch(`http://127.0.0.1:${own}/slow`)).rejects.toThrow()
  allow()
  expect(await (await answer).json()).toBe('done')
  await stopped
})

test('a port that is taken is reported', async () => {
  const other = listen({ app: createApp() }, { host: '127.0.0.1', port, docsUrl: 'https://docs' }, { log, lifecycle })
  await expect(other).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
