import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestEnv } from './test-env.ts'

/** A copy of nats-server's store at one moment. */
export interface NatsSnapshot {
  /**
   * Power cut: kills nats-server and starts it again with the store of that moment, as if nothing had been synced since.
   * @param keepConsumers whether what it knew of the consumers was on disk, other than the messages
   */
  putBack(keepConsumers?: boolean): Promise<void>
}

/** Copies the store of the running nats-server. The server is stopped meanwhile, so that the copy is of one moment. */
export async function snapshotNats(env: TestEnv): Promise<NatsSnapshot> {
  const store = join(env.stack.dataDir, 'nats', 'jetstream')
  const folder = mkdtempSync(join(tmpdir(), 'notify-nats-'))
  await env.kill('nats', 'SIGSTOP')
  copy(store, join(folder, 'then'))
  await env.kill('nats', 'SIGCONT')
  return {
    async putBack(keepConsumers = false) {
      // At SIGTERM it writes what it knows of the consumers, which it would otherwise do within a second or two.
      await env.kill('nats', keepConsumers ? 'SIGTERM' : 'SIGKILL')
      const then = join(folder, 'then')
      if (keepConsumers) for (const path of consumersIn(store)) copy(join(store, path), join(then, path))
      rmSync(store, { recursive: true, force: true })
      copy(then, store)
      rmSync(folder, { recursive: true, force: true })
      await env.restart('nats')
    },
  }
}

const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, preserveTimestamps: true })

/** The folders with the consumers of each stream. */
function consumersIn(store: string): string[] {
  // nats-server stores in a subfolder of the configured one.
  const streams = join('jetstream', '$G', 'streams')
  return readdirSync(join(store, streams))
    .map((stream) => join(streams, stream, 'obs'))
    .filter((path) => existsSync(join(store, path)))
}
