import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ServiceName, streams } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'

/** What was written lately and may not be on disk, in bytes. */
const unsyncedBytes = 4096

/** What is left of a file whose end was not synced. */
const remains: readonly ((bytes: Buffer, at: number) => Buffer)[] = [
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)]),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at, 0xa5)]),
  // A file that is rewritten is emptied first.
  (bytes, at) => (bytes.length < unsyncedBytes ? Buffer.alloc(0) : bytes.subarray(0, at)),
]

/** Kills nats-server, damages the ends of files of these services' streams as an unsynced page cache does, and starts it again. */
export async function cutPower(env: TestEnv, services: readonly ServiceName[], seed: number): Promise<void> {
  const random = randomFrom(seed)
  await env.kill('nats')
  for (const service of services) {
    const folder = join(env.stack.dataDir, 'nats', 'jetstream', 'jetstream', '$G', 'streams', streams[service].name)
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
      if (random() > damagedShare(path)) continue
      const bytes = readFileSync(join(folder, path))
      const at = bytes.length - Math.floor(random() * Math.min(bytes.length, unsyncedBytes))
      writeFileSync(join(folder, path), remains[Math.floor(random() * remains.length)]!(bytes, at))
    }
  }
  await env.restart('nats')
}

/** Blocks of messages, their indexes, and state files of durables. The configuration of a stream was synced long ago. */
function damagedShare(path: string): number {
  if (/\.blk$|\.idx$|o\.dat$/.test(path)) return 0.5
  return path.includes('obs') && basename(path) === 'meta.inf' ? 0.1 : 0
}

/** Repeatable numbers in [0, 1) (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
