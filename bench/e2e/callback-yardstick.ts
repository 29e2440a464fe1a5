import { createServer } from 'node:http'

/** Responds to carrier callbacks and does nothing else. */
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => response.writeHead(204).end())
}).listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
