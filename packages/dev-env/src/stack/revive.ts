import { messageOf } from '../startup-error.ts'
import type { NodeProcess, ProcessName, ServerProcess } from './process-names.ts'
import type { Stack } from './stack.ts'
import type { StackOptions } from './stack-options.ts'

const firstDelayMs = 1000
const longestDelayMs = 30_000
const healthyMs = 60_000

/** Reports a process that ends unexpectedly and, if enabled, restarts it after 1, 2, 4 … 30 seconds. */
export function reviver(stack: Stack, { reviveCrashed = false, onProgress = () => {} }: StackOptions) {
  const history = new Map<ProcessName, { atMs: number; delayMs: number }>()
  const revive = async (name: ProcessName) => {
    if (stack.isStopping) return
    try {
      const child = stack.children.get(name as NodeProcess)
      await (child ? child.start() : stack.servers.get(name as ServerProcess)?.start())
      await child?.waitReady()
      onProgress(`${name} is ready again`)
    } catch (error) {
      onProgress(messageOf(error))
    }
  }
  return (name: ProcessName, how: string) => {
    if (!reviveCrashed || !stack.started || stack.isStopping) return
    const last = history.get(name)
    const nowMs = Date.now()
    const calm = !last || nowMs - last.atMs > healthyMs
    const delayMs = calm ? firstDelayMs : Math.min(last.delayMs * 2, longestDelayMs)
    history.set(name, { atMs: nowMs, delayMs })
    onProgress(`${name} ${how}: starting it again in ${delayMs / 1000} s`)
    setTimeout(() => void revive(name), delayMs).unref()
  }
}
