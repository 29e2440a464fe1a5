import { extname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@notify/service-kit'
import { Piscina } from 'piscina'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { TemplateFault, takesTooLong } from './template-fault.ts'

/** Worker threads that render templates; slow ones are killed. */
export interface RenderThreads {
  /** @throws TemplateFault when the thread was killed or ran out of memory */
  run(job: Omit<RenderJob, 'begunBy'>): Promise<RenderAnswer>
  close(): Promise<void>
}

interface Options {
  /** Concurrent jobs. */
  threads: number
  /** CPU time after which a job's thread is killed, in milliseconds. */
  killAfterMs: number
  onKill(): void
  /** Called for a thread that ended without a job. */
  onError(error: unknown): void
}

interface Running {
  begunBy: Int32Array
  /** CPU time of the thread in this job, in milliseconds, as far as it was asked. */
  cpuMs: number
  /** Running and waiting time observed, in milliseconds. */
  ranMs: number
  waitedMs: number
  kill: AbortController
}

/** The `threadId` of the thread that runs the job; 0 while none does. */
const threadOf = ({ begunBy }: Running) => Atomics.load(begunBy, 0)

const noThread = () => new Problem('service_unavailable', 'Templates cannot be rendered now; try again shortly')

const tickMs = 10
/** A free thread starts at once; a new one takes about 50 ms. */
const longestWaitMs = 3000
/** A thread that has not used up its CPU time after this multiple of it is killed nevertheless. */
const backstop = 20
/** Well above Liquid's own limits: V8 ends the whole process if a thread hits this one in C++ code. */
export const threadLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

export function createRenderThreads({ threads, killAfterMs, onKill, onError }: Options): RenderThreads {
  let pool: Piscina | undefined
  /** Started by the first job: three threads take 70 MB, and most templates need none. */
  const started = () => {
    if (pool) return pool
    pool = new Piscina({
      filename: join(import.meta.dirname, `render-worker${extname(import.meta.filename)}`),
      name: 'render',
      // One spare thread, so that a killed one leaves no gap.
      minThreads: threads + 1,
      maxThreads: threads + 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: threadLimits,
      // A template that escapes its sandbox finds no secrets.
      env: {},
    })
    pool.on('error', onError)
    return pool
  }
  const running = new Set<Running>()
  let timer: NodeJS.Timeout | undefined
  let lastTickMs = 0

  /** A thread answers between two steps of JavaScript; one that does not answer is left to the backstop. */
  const measure = async (one: Running) => {
    const worker = started().threads.find(({ threadId }) => threadId === threadOf(one))
    const before = await worker?.cpuUsage()
    if (!worker || !before) return
    while (running.has(one) && !one.kill.signal.aborted) {
      const { user, system } = await worker.cpuUsage(before)
      one.cpuMs = (user + system) / 1000
      await delay(tickMs)
    }
  }

  /** Counts only time in which this process ran, so that a stalled process kills no job. */
  const tick = () => {
    const now = performance.now()
    const passedMs = Math.min(now - lastTickMs, 2 * tickMs)
    lastTickMs = now
    for (const one of running) {
      const hasBegun = threadOf(one) !== 0
      if (!hasBegun) one.waitedMs += passedMs
      else {
        // The thread may end before it answers.
        if (one.ranMs === 0) measure(one).catch(() => {})
        one.ranMs += passedMs
      }
      const isOver = one.cpuMs > killAfterMs || one.ranMs > backstop * killAfterMs || one.waitedMs > longestWaitMs
      if (!isOver || one.kill.signal.aborted) continue
      if (hasBegun) onKill()
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
        begunBy: new Int32Array(new SharedArrayBuffer(4)),
        cpuMs: 0,
        ranMs: 0,
        waitedMs: 0,
        kill: new AbortController(),
      }
      watch(one)
      try {
        return (await started().run({ ...job, begunBy: one.begunBy }, { signal: one.kill.signal })) as RenderAnswer
      } catch (error) {
        if (one.kill.signal.aborted) throw threadOf(one) !== 0 ? new TemplateFault(takesTooLong) : noThread()
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw new TemplateFault('it takes too much memory to render')
        throw error
      } finally {
        leave(one)
      }
    },
    close: async () => pool?.destroy(),
  }
}
