import { setTimeout as delay } from 'node:timers/promises'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { isLate, post } from '@notify/test-kit/api'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { causeOf } from './load.ts'

/** A reader of a live stream that reconnects as a browser does, but earlier than the server asks. */
export interface Reader {
  /** Ids of the received events, including the first of each connection. */
  readonly ids: readonly number[]
  /** The reconnection delays that streams sent when they ended. */
  readonly retries: readonly number[]
  /** Connections that were refused or not answered. */
  readonly failures: readonly string[]
  /** Sends that were repeated because their answer did not come in time. */
  readonly late: readonly string[]
  /** Sends a notification to its user, under one key until the answer comes in time. */
  send(): Promise<ApiResponse>
  close(): void
}

/** Follows the stream of a new user. */
export async function startReader(env: TestEnv): Promise<Reader> {
  const user = freshUser()
  const token = await userToken(env, user)
  const closing = new AbortController()
  const ids: number[] = []
  const retries: number[] = []
  const failures: string[] = []
  const late: string[] = []
  const take = (block: string) => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
    if (fields.has('retry')) retries.push(Number(fields.get('retry')))
    if (fields.get('event')?.startsWith('notification.')) ids.push(Number(fields.get('id')))
  }
  const read = async () => {
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'last-event-id': `${ids.at(-1) ?? 0}`,
    }
    const { status, body } = await fetch(`${env.stack.url('gateway')}/api/v1/in-app/stream`, {
      headers,
      signal: closing.signal,
    })
    if (status !== 200) failures.push(`a stream got ${status}`)
    let rest = ''
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  }
  const follow = async () => {
    while (!closing.signal.aborted) {
      await read().catch((error) => {
        // A stream that ends is never complete.
        if (!closing.signal.aborted && error.message !== 'terminated') failures.push(`a stream: ${causeOf(error)}`)
      })
      await delay(50)
    }
  }
  void follow()
  return {
    ids,
    retries,
    failures,
    late,
    async send() {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const sendOnce = () => post(env, { channel: 'in_app', recipient: user, title: 'Hi', body: 'Hello' }, { headers })
      let answer = await sendOnce()
      while (isLate(answer) && late.length < 10) {
        late.push(answer.body.detail)
        answer = await sendOnce()
      }
      return answer
    },
    close: () => closing.abort(),
  }
}
