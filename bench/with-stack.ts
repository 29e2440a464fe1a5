import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { portsFrom, reservePortBlock, type Stack, type StackOptions, startStack } from '@notify/dev-env'

const root = join(import.meta.dirname, '..')

/** Runs the work with a durable stack in a temporary folder. */
export async function withStack<T>(options: Partial<StackOptions>, work: (stack: Stack) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'notify-bench-'))
  await chmod(dataDir, 0o755)
  const ports = await reservePortBlock()
  let stack: Stack | undefined
  try {
    // As with the ingress of k8s/base, carriers call callbacks directly.
    const direct = { PUBLIC_URL: `http://127.0.0.1:${portsFrom(ports.base).process.callbacks}` }
    const { env = {}, ...rest } = options
    stack = await startStack({
      root,
      dataDir,
      portBase: ports.base,
      durable: true,
      logs: 'file',
      env: {
        ...env,
        'dispatch-api': { ...direct, ...env['dispatch-api'] },
        'dispatch-worker': { ...direct, ...env['dispatch-worker'] },
        'dispatch-sender': { ...direct, ...env['dispatch-sender'] },
        callbacks: { ...direct, ...env.callbacks },
      },
      ...rest,
    })
    return await work(stack)
  } finally {
    await stack?.stop({ graceMs: 5000 })
    await ports.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}
