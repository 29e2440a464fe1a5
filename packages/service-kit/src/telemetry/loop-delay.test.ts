import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

/** In a process of its own, which is idle until it works. @returns what the code prints */
async function inProcess(code: string): Promise<number> {
  const source = `
    import { setTimeout as delay } from 'node:timers/promises'
    import { watchLoopDelay } from ${JSON.stringify(new URL('loop-delay.ts', import.meta.url).href)}
    const { histogram } = watchLoopDelay()
    const work = (ms) => {
      const untilMs = performance.now() + ms
      while (performance.now() < untilMs) JSON.stringify(process.versions)
    }
    await delay(2200)
    ${code}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source])
  return Number(stdout)
}

test('one long task of an idle process is seen, though no timer was due meanwhile', async () => {
  const longestMs = await inProcess(`
    work(200)
    await delay(1100)
    console.log(histogram.max / 1e6)`)
  expect(longestMs).toBeGreaterThan(190)
})

test('an idle process looks once a second, a busy one many times', async () => {
  expect(await inProcess('console.log(histogram.count)')).toBeLessThan(5)
  const looks = await inProcess(`
    const before = histogram.count
    for (let n = 0; n < 150; n++) {
      work(10)
      await delay(5)
    }
    console.log(histogram.count - before)`)
  expect(looks).toBeGreaterThan(15)
})
