import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Runs a yardstick's server in a process of its own while the work lasts; it tells its port as its first message. */
export async function withForked<T>(file: string, work: (port: number) => Promise<T>): Promise<T> {
  const server = fork(file)
  try {
    const [port] = await once(server, 'message')
    return await work(port as number)
  } finally {
    server.disconnect()
    await once(server, 'exit')
  }
}
