import { readFileSync } from 'node:fs'
import { createEgress, createHostResolver } from '@notify/egress-guard'
import type { Kit } from '@notify/service-kit'
import { createRenderer } from '@notify/templates'
import { createLockWatch } from './accept/commit-judged.ts'
import { createMessageLinks } from './catalogue/preferences/message-links.ts'
import { createFetchFile } from './channels/fetch-file.ts'
import { acceptingRoom, createFileRoom } from './channels/file-room.ts'
import type { Context } from './context.ts'

/** Opens what acceptance needs beside the shared context: threads that render, and the way to files of the tenants. */
export function openAcceptance(kit: Kit, { config, metrics, log }: Pick<Context, 'config' | 'metrics' | 'log'>) {
  const resolveHost = createHostResolver()
  const egress = createEgress({
    allowed: config.ATTACHMENT_EGRESS_ALLOW,
    resolve: resolveHost,
    ca: config.ATTACHMENT_CA_FILE && readFileSync(config.ATTACHMENT_CA_FILE, 'utf8'),
  })
  kit.lifecycle.onStop('egress', () => egress.close())
  const { RENDER_THREADS: threads, RENDER_MS_PER_SECOND: msPerSecond } = config
  const renderer = createRenderer({ threads, msPerSecond, metrics, log })
  kit.lifecycle.onStop('renderer', () => renderer.close())
  return {
    watchLocks: createLockWatch(),
    links: createMessageLinks(config),
    resolveHost,
    fileRoom: createFileRoom(acceptingRoom),
    fetchFile: createFetchFile({ egress, timeoutMs: config.ATTACHMENT_TIMEOUT }),
    renderer,
  }
}
