import { Host } from './host.ts'
import type { Order } from './orders.ts'

const host = new Host()
process.on('message', (order: Order) => {
  if (order === 'start') host.start()
  else if (order === 'stop') void host.stop()
  else host.load(order.load)
})
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(event, host.end)
