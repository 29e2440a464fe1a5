import express from 'express'

/** The yardstick: a minimal JSON API in Express that reads the body and responds 202. */
const app = express()
app.use(express.json())
app.post('/', (_request, response) => {
  response.status(202).json({ status: 'accepted' })
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
