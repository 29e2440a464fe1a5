import { join } from 'node:path'
import { Problem } from '@notify/service-kit'
import { Piscina } from 'piscina'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { TemplateFault, takesTooLong } from './template-fault.ts'

/** Worker threads that fill templates, and are killed when they take too long. */
export interface RenderThreads {
  /** @throws TemplateFault when its thread had to be killed, or ran out of memory */
  run(job: Omit<RenderJob, 'begun'>): Promise<RenderAnswer>
  close(): Promise<void>
}

interface Options {
  /** Jobs at the same time. */
  threads: number
  /** Time after which a job's thread is killed, in milliseconds. */
  killAfterMs: number
  onKill(): void
  /** A thread that ended without a job to blame. */
  onError(error: unknown): void
}

interface Running {
  begun: Int32Array
  /** Time it has been seen at work, and waiting for a thread, in milliseconds. */
  ranMs: number
  waitedMs: number
  kill: AbortController
}

const hasBegun = ({ begun }: Running) => Atomics.load(begun, 0) === 1

const noThread = () => new Problem('service_unavailable', 'Templates cannot be rendered now; try again shortly')

const tickMs = 10
/** A free thread begins at once; a new one takes some 50 ms to start. */
const longestWaitMs = 3000
/** Far more than Liquid's own limit lets a template use: V8 ends the whole process when a thread meets this one in C++. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

export function createRenderThreads({ threads, killAfterMs, onKill, onError }: Options): RenderThreads {
  const pool = new Piscina({
    filename: join(import.meta.dirname, 'render-worker.ts'),
    name: 'render',
    // One more than are at work: a thread that is killed leaves no gap while its successor starts.
    minThreads: threads + 1,
    maxThreads: threads + 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits,
    // Whoever breaks out of a template finds no secrets.
    env: {},
  })
  pool.on('error', onError)
  const running = new Set<Running>()
  let timer: NodeJS.Timeout | undefined
  let lastTickMs = 0

  /** Counts only time in which this process ran too: when all of it stands still, no job is to blame. */
  const tick = () => {
    const now = performance.now()
    const passedMs = Math.min(now - lastTickMs, 2 * tickMs)
    lastTickMs = now
    for (const one of running) {
      if (hasBegun(one)) one.ranMs += passedMs
      else one.waitedMs += passedMs
      if ((one.ranMs <= killAfterMs && one.waitedMs <= longestWaitMs) || one.kill.signal.aborted) continue
      if (hasBegun(one)) onKill()
      one.kill.abort()
    }
  }
  const watch = (one: Running) => {
    running.add(one)
    if (timer) return
    lastTickMs = performance.now()
    timer = setInterval(tick, tickMs)
  }
  const leave = (one: Running) => {
    running.delete(one)
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    async run(job) {
      const one = {
        begun: new Int32Array(new SharedArrayBuffer(4)),
        ranMs: 0,
        waitedMs: 0,
        kill: new AbortController(),
      }
      watch(one)
      try {
        return (await pool.run({ ...job, begun: one.begun }, { signal: one.kill.signal })) as RenderAnswer
      } catch (error) {
        if (one.kill.signal.aborted) throw hasBegun(one) ? new TemplateFault(takesTooLong) : noThread()
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw new TemplateFault('it takes too much memory to render')
        throw error
      } finally {
        leave(one)
      }
    },
    close: () => pool.destroy(),
  }
}
