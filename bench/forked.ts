import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Runs a yardstick server in a child process during the work; its first message is its port. */
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
