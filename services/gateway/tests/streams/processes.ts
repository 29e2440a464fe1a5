import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { machineEnvironment } from '@notify/dev-env'
import type { z } from 'zod'
import type { Stats } from './contracts.ts'

/** A serving process, with its address. */
export interface Served {
  child: ChildProcess
  url: string
  stats(): Promise<z.output<typeof Stats>>
}

export async function start(name: 'owner' | 'edge', env: Record<string, string> = {}): Promise<Served> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}-main.ts`)], {
    env: { ...machineEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}`
  return { child, url, stats: async () => (await fetch(`${url}/stats`)).json() as Promise<z.output<typeof Stats>> }
}

export async function end({ child }: Served, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** A reader of a stream. */
export interface Reader {
  request: ClientRequest
  answer: IncomingMessage
  text(): string
  isOver(): boolean
}

interface ReaderOptions {
  search?: string
  headers?: Record<string, string>
  /** Whether it reads nothing. */
  idle?: boolean
}

/** Opens the stream and reads it. */
export async function read({ url }: Served, { search = '', headers = {}, idle }: ReaderOptions = {}): Promise<Reader> {
  const asked = request(`${url}/api/v1/parcels/stream${search}`, {
    agent: false,
    headers: { authorization: 'Bearer ada', accept: 'text/event-stream', ...headers },
  })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  let over = false
  answer.on('error', () => {})
  answer.on('close', () => {
    over = true
  })
  asked.on('error', () => {})
  if (!idle) {
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return { request: asked, answer, text: () => text, isOver: () => over }
}
