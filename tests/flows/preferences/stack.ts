import { expect } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { emailOf, emailTo } from '@notify/test-kit/email'

export let env: TestEnv

/** Starts the stack of these tests. */
export async function startStack(): Promise<void> {
  // So few that a busy machine, too, can ask for more.
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream', 'webhook-delivery'], {
    env: { gateway: { RATE_LIMIT_ADDRESS_PER_SECOND: '50' } },
  })
}

export async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const body = { topic_key, name: 'Weekly news', channels: ['email', 'in_app'], ...fields }
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
  return topic_key
}

/** Sends a mail of a topic. @returns it as the carrier got it, and the link in its text */
export async function mail(to: string, topic: string, fields: object = {}) {
  const sent = await post(
    env,
    emailTo(to, { topic, body: 'Leave: {{ unsubscribe_url }}', template_data: {}, ...fields }),
  )
  expect([sent.status, sent.text]).toEqual([202, expect.any(String)])
  const message = await eventually(() => emailOf(env, to))
  return {
    source: sourceOf(message.request.body),
    text: message.text,
    url: /https?:\S+\/u\/[\w-]+/.exec(message.text)?.[0] ?? '',
  }
}

interface SesRequest {
  Content: { Raw?: { Data: string }; Simple?: { Headers?: { Name: string; Value: string }[] } }
}

/** The header lines of the message as the carrier got it, unfolded; of a raw message all of it. */
export function sourceOf(request: unknown): string {
  const { Content } = request as SesRequest
  const source = Content.Raw
    ? Buffer.from(Content.Raw.Data, 'base64').toString()
    : (Content.Simple?.Headers ?? []).map(({ Name, Value }) => `${Name}: ${Value}`).join('\r\n')
  return source.replace(/\r?\n[ \t]+/g, '')
}

/** Calls a link as a browser or a mail program does, without credentials. */
export async function follow(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
export const oneClick = (url: string) =>
  follow(url, {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
/** The fields that a browser posts when the form of choices on a page is saved with some boxes switched. */
export function fieldsOf(page: string, ...switched: string[]): [string, string][] {
  const fields: [string, string][] = [['action', 'save']]
  for (const [tag, name = '', value = ''] of page.matchAll(/<input type="\w+" name="([^"]+)" value="([^"]*)"[^>]*>/g)) {
    const isShown = !tag.includes('"checkbox"') || tag.includes(' checked')
    if (tag.includes(' disabled') || (name === 'topic' && switched.includes(value) ? isShown : !isShown)) continue
    fields.push([name, value])
  }
  for (const [, name = '', options = ''] of page.matchAll(/<select name="([^"]+)"[^>]*>(.*?)<\/select>/g))
    fields.push([name, /value="(\w*)" selected/.exec(options)![1]!])
  return fields
}
export const postForm = (url: string, fields: [string, string][]) =>
  follow(url, { method: 'POST', body: new URLSearchParams(fields) })
export const lookUp = async (address: string) =>
  (await env.api('POST', '/api/v1/preferences/lookup', { body: { address } })).body
