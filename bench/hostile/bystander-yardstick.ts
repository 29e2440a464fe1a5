import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'

/** The yardstick: a bare API that writes and syncs each request before its 202. It shares only the machine with the service. */
const path = join(tmpdir(), `notify-bystander-${process.pid}.log`)
const file = await open(path, 'a')
const app = express()
app.use(express.json())
app.post('/', async (request, response) => {
  await file.appendFile(JSON.stringify(request.body))
  await file.datasync()
  response.status(202).json({ status: 'accepted' })
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
// A stalled machine must not make a client use a connection that is about to be closed.
server.keepAliveTimeout = 0
process.on('disconnect', async () => {
  server.close()
  server.closeAllConnections()
  await file.close()
  await rm(path)
})
