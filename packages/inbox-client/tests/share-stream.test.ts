import { expect, jest, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { type Channel, shareStream } from '../src/share-stream.ts'

/** A tab; a frozen one holds the stream and stays silent. */
function openTab(name: string, isFrozen = false) {
  const closing = new AbortController()
  const heard: string[] = []
  let joined = 0
  let led = 0
  let isLeading = false
  const lead = async (channel: Channel<string>, signal: AbortSignal) => {
    led += 1
    isLeading = true
    const beat = setInterval(() => isFrozen || channel.send('beat'), 10)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    clearInterval(beat)
    isLeading = false
  }
  const hear = (message: string) => void heard.push(message)
  const join = () => {
    joined += 1
  }
  const over = shareStream<string>({ name, lead, hear, join, tickMs: 100 }, closing.signal)
  return {
    heard,
    joined: () => joined,
    led: () => led,
    isLeading: () => isLeading,
    close: async () => {
      closing.abort()
      await over
    },
  }
}

test('one tab leads at a time, and the next one follows when it closes', async () => {
  const name = `tabs ${Math.random()}`
  const tabs = [openTab(name), openTab(name), openTab(name)]
  for (const tab of tabs) {
    await eventually(() => expect(tabs.map((each) => each.isLeading())).toEqual(tabs.map((each) => each === tab)))
    await tab.close()
    expect(tab.isLeading()).toBe(false)
  }
  expect(tabs.map((tab) => tab.led())).toEqual([1, 1, 1])
})

test('a leader that falls silent is deposed, ends its stream, asks for what it missed, and waits for its turn', async () => {
  const name = `tabs ${Math.random()}`
  const frozen = openTab(name, true)
  await eventually(() => expect(frozen.isLeading()).toBe(true))
  expect(frozen.joined()).toBe(1)
  const waiting = openTab(name)
  await eventually(() => expect([frozen.isLeading(), waiting.isLeading()]).toEqual([false, true]))
  expect(frozen.joined()).toBe(2)
  await eventually(() => expect(frozen.heard).toContain('beat'))
  await waiting.close()
  await eventually(() => expect(frozen.isLeading()).toBe(true))
  await frozen.close()
})

test('no leader is deposed before it was silent for three whole ticks', async () => {
  const random = jest.spyOn(Math, 'random').mockReturnValue(0)
  const name = 'tabs of equal ticks'
  try {
    const frozen = openTab(name, true)
    await eventually(() => expect(frozen.isLeading()).toBe(true))
    const silentMs = performance.now()
    const waiting = openTab(name)
    // At the end of a tick.
    await eventually(() => expect(performance.now() - silentMs).toBeGreaterThan(60), { intervalMs: 5 })
    const channel = new BroadcastChannel(name)
    const lastMs = performance.now()
    channel.postMessage('last')
    await eventually(() => expect(waiting.isLeading()).toBe(true), { intervalMs: 1 })
    expect(waiting.heard).toContain('last')
    // Timers may be a millisecond early.
    expect(performance.now() - lastMs).toBeGreaterThan(295)
    channel.close()
    await Promise.all([waiting.close(), frozen.close()])
  } finally {
    random.mockRestore()
  }
})

test('the leader may give up: then nothing is held any more', async () => {
  const name = `tabs ${Math.random()}`
  const signal = new AbortController().signal
  await shareStream<string>({ name, lead: async () => {}, hear: () => {}, join: () => {} }, signal)
  const next = openTab(name)
  await eventually(() => expect(next.isLeading()).toBe(true))
  await next.close()
})
