import { createServer } from 'node:http'

/** Stands in for a service: reports ready, shows its environment, can crash, and drains on SIGTERM and a lost parent. */
if (process.env.FAIL_AT_START) {
  console.error(JSON.stringify({ level: 60, msg: `cannot start: ${process.env.FAIL_AT_START}` }))
  process.exit(1)
}
console.log(JSON.stringify({ level: 30, msg: 'started' }))
const server = createServer((request, response) => {
  if (request.url === '/readyz') response.end('ok')
  else if (request.url === '/environment')
    response.setHeader('content-type', 'application/json').end(JSON.stringify(process.env))
  else if (request.url === '/crash') process.exit(7)
  else if (request.url === '/warn') {
    console.log(JSON.stringify({ level: 40, msg: 'something is odd' }))
    response.end()
  } else response.writeHead(404).end()
})
server.listen(Number(process.env.PORT), process.env.HOST)
const stop = () => {
  if (process.env.IGNORE_SIGTERM) return
  server.close()
  server.closeAllConnections()
  if (process.connected) process.disconnect()
}
for (const event of ['SIGTERM', 'disconnect']) process.on(event, stop)
