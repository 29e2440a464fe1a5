import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createPreferences, type PreferencesClient } from '../src/create-preferences.ts'
import {
  createInbox,
  InboxError,
  type PreferenceChange,
  type PreferenceFrequency,
  type Preferences,
} from '../src/index.ts'
import { applyPreferences, isChannelOff, isRemovable } from '../src/preferences.ts'
import { StubInbox, tokenOf } from './stub-inbox.ts'

let server: StubInbox
/** What the server keeps. */
let kept: Preferences
/** Answers to changes, one after the other; without one the change is made. */
let refusals: { status: number; code: string }[]
/** Answers wait until it resolves. */
let holding: Promise<void> | undefined
const stops: (() => void)[] = []
beforeEach(async () => {
  server = await StubInbox.start()
  kept = { topics: [{ topic_key: 'news', name: 'News', description: '', kind: 'on', channels: [] }], rules: [] }
  kept = applyPreferences({ ...kept, topics: [{ ...kept.topics[0]!, channels: channelsOf('email', 'sms') }] }, [])
  refusals = []
  holding = undefined
  server.answer = async ({ method, path, body }, response) => {
    if (!path.startsWith('/preferences')) return false
    const answer = kept
    await holding
    const refusal = method === 'PATCH' ? refusals.shift() : undefined
    if (method === 'PATCH' && !refusal) kept = applyPreferences(kept, (body as { rules: PreferenceChange[] }).rules)
    const json = refusal ?? (method === 'PATCH' ? kept : answer)
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    return true
  }
})
afterEach(async () => {
  for (const stop of stops.splice(0)) stop()
  await server.stop()
})

const channelsOf = (...names: string[]) =>
  names.map((channel) => ({ channel, state: 'on' as const, overridden: false, digests: true, frequency: null }))
const off = (topic: string, channel: string): PreferenceChange => ({ topic, channel, state: 'off' })
const states = (preferences: Preferences) => preferences.topics[0]?.channels.map(({ state }) => state)
const reads = () => server.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/preferences'))

/** The store of a live client. */
async function open(locale?: string, getToken = () => tokenOf('ada')): Promise<PreferencesClient> {
  const delays = { baseMs: 10, maxMs: 20 }
  const inbox = createInbox({ url: server.url, getToken, share: false, delays })
  const store = createPreferences(inbox, locale)
  stops.push(store.subscribe(() => {}))
  await eventually(() => expect(server.openStreams).toHaveLength(1))
  server.ready(false, 0)
  await eventually(() => expect(store.getState()).toMatchObject({ isLoaded: true, status: 'live' }))
  // At once, and again after the connection.
  await eventually(() => expect(reads()).toHaveLength(2))
  return store
}

test('a change shows at once, and is taken back with its reason when it is refused', async () => {
  const store = await open()
  refusals = [{ status: 422, code: 'topic_is_required' }]
  const changing = store.change([off('news', 'email')])
  expect(states(store.getState())).toEqual(['off', 'on'])
  const error = await changing.catch((cause) => cause)
  expect(error).toBeInstanceOf(InboxError)
  expect([error.status, error.code]).toEqual([422, 'topic_is_required'])
  expect(states(store.getState())).toEqual(['on', 'on'])
  await store.change([off('news', 'sms')])
  expect(states(store.getState())).toEqual(['on', 'off'])
  expect(kept.rules).toEqual([{ ...off('news', 'sms'), frequency: null }])
})

test("with another user's token the choices of the first one are no longer shown", async () => {
  const users = ['ada', 'bob']
  const store = await open(undefined, () => tokenOf(users.shift()!))
  refusals = [{ status: 401, code: 'unauthenticated' }]
  await expect(store.change([off('news', 'email')])).rejects.toMatchObject({ name: 'InboxError', status: 401 })
  expect(store.getState()).toMatchObject({ topics: [], rules: [], isLoaded: false, status: 'denied' })
})

test('a refused change takes back itself alone', async () => {
  const store = await open()
  refusals = [{ status: 422, code: 'topic_is_required' }]
  const results = Promise.allSettled([store.change([off('news', 'email')]), store.change([off('news', 'sms')])])
  expect(states(store.getState())).toEqual(['off', 'off'])
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(states(store.getState())).toEqual(['on', 'off'])
})

test('a signal of the stream makes it read again, and a burst of signals only a few times', async () => {
  const store = await open()
  kept = applyPreferences(kept, [off('*', 'email')])
  const held = Promise.withResolvers<void>()
  holding = held.promise
  server.preferencesChanged()
  await eventually(() => expect(reads()).toHaveLength(3))
  kept = applyPreferences(kept, [off('*', 'sms')])
  for (let at = 0; at < 20; at++) server.preferencesChanged()
  holding = undefined
  held.resolve()
  await eventually(() => expect(states(store.getState())).toEqual(['off', 'off']))
  expect(reads().length).toBeLessThanOrEqual(5)
})

test('a read that began before a change does not undo it', async () => {
  const store = await open()
  const held = Promise.withResolvers<void>()
  holding = held.promise
  server.preferencesChanged()
  await eventually(() => expect(reads()).toHaveLength(3))
  const changing = store.change([off('news', 'email')])
  expect(states(store.getState())).toEqual(['off', 'on'])
  holding = undefined
  held.resolve()
  await changing
  expect(states(store.getState())).toEqual(['off', 'on'])
})

test('a change made while the stream was away is read after it returns, in the language that was asked for', async () => {
  const store = await open('de-AT')
  kept = applyPreferences(kept, [off('news', '*')])
  server.streams[0]!.end()
  await eventually(() => expect(server.streams).toHaveLength(2))
  server.ready(true, 0)
  await eventually(() => expect(states(store.getState())).toEqual(['off', 'off']))
  expect(new Set(reads().map(({ path }) => path))).toEqual(new Set(['/preferences?locale=de-AT']))
})

const topic = { topic_key: 'news', name: 'News', description: '' }
const on = (name: string, channel: string): PreferenceChange => ({ topic: name, channel, state: 'on' })

test.each([
  ['the kind decides without a choice', 'on', [], 'on', false],
  ['also where it is off', 'off', [{ ...on('news', 'email'), state: null }], 'off', false],
  ['an on of the topic sends', 'off', [on('news', '*')], 'on', false],
  ['an on of every topic does not', 'off', [on('*', '*')], 'off', false],
  ['an off of the channel stops', 'on', [off('news', 'email')], 'off', false],
  ['a wider off overrides an on', 'on', [on('news', 'email'), off('*', '*')], 'off', true],
  ['a wider off overrides an off', 'on', [off('news', 'email'), off('news', '*')], 'off', true],
  ['nothing stops what is required', 'required', [off('*', '*')], 'on', false],
  ['another channel does not count', 'on', [off('*', 'sms')], 'on', false],
  ['what is removed does not count', 'on', [off('*', '*'), { ...off('*', '*'), state: null }], 'on', false],
] as const)('%s', (_, kind, changes, state, overridden) => {
  const { topics } = applyPreferences(
    { topics: [{ ...topic, kind, channels: channelsOf('email') }], rules: [] },
    changes,
  )
  expect(topics[0]!.channels).toMatchObject([{ channel: 'email', state, overridden }])
})

const often = (name: string, channel: string, frequency: PreferenceFrequency | null): PreferenceChange => ({
  ...on(name, channel),
  frequency,
})

test.each([
  ['none is chosen', 'on', [], null],
  [
    'one of the topic counts before one of every topic',
    'on',
    [often('*', 'email', 'daily'), often('news', '*', 'weekly')],
    'weekly',
  ],
  ['then one of the channel', 'on', [often('news', '*', 'weekly'), often('news', 'email', 'hourly')], 'hourly'],
  ['a change without one keeps it', 'on', [often('news', 'email', 'hourly'), on('news', 'email')], 'hourly'],
  [
    'so does switching off and on',
    'on',
    [often('news', 'email', 'hourly'), off('news', 'email'), on('news', 'email')],
    'hourly',
  ],
  ['null removes it', 'on', [often('news', 'email', 'hourly'), often('news', 'email', null)], null],
  ['what is off has none', 'on', [often('news', 'email', 'hourly'), off('news', 'email')], null],
  ['what is required has none', 'required', [often('*', '*', 'hourly')], null],
] as const)('frequency: %s', (_, kind, changes, frequency) => {
  const { topics } = applyPreferences(
    { topics: [{ ...topic, kind, channels: channelsOf('email') }], rules: [] },
    changes,
  )
  expect(topics[0]!.channels).toMatchObject([{ frequency }])
})

test.each([
  ['of the topic and channel alone', [often('news', 'email', 'hourly')], true],
  ['beside one of every topic', [often('news', 'email', 'hourly'), often('*', '*', 'daily')], false],
  ['beside one of every channel', [often('news', '*', 'weekly')], false],
  ['beside one of another topic or channel', [often('*', 'sms', 'daily'), often('other', '*', 'daily')], true],
  ['beside a wide choice without one', [on('*', 'email')], true],
])('a frequency %s is removable only without a wider one', (_, changes, expected) => {
  const shown = { ...topic, kind: 'on' as const, channels: channelsOf('email') }
  const { rules } = applyPreferences({ topics: [shown], rules: [] }, changes)
  expect(isRemovable(shown, 'email', rules)).toBe(expected)
})

/** Preferences in which a choice for the address, which is not among the rules, stops these topics by email. */
const stoppedFor = (...keys: string[]): Preferences => ({
  topics: ['news', 'offers'].map((topic_key) => ({
    ...{ ...topic, topic_key, kind: 'on' as const },
    channels: [
      ...channelsOf('sms'),
      ...channelsOf('email').map((one) => ({
        ...one,
        ...(keys.includes(topic_key) && { state: 'off' as const, overridden: true }),
      })),
    ],
  })),
  rules: [],
})

test('a change keeps what another choice than the rules has decided for other topics and channels', () => {
  const stopped = stoppedFor('news', 'offers')
  const { topics } = applyPreferences(stopped, [off('news', 'sms')])
  expect(topics[1]).toEqual(stopped.topics[1])
  expect(topics[0]!.channels).toMatchObject([
    { channel: 'sms', state: 'off' },
    { channel: 'email', state: 'off', overridden: true },
  ])
})

test('everything is off for a channel also where no rule of the user says so', () => {
  const nothing = stoppedFor()
  const all = stoppedFor('news', 'offers')
  expect(['email', 'sms', 'push'].map((channel) => isChannelOff(all, channel))).toEqual([true, false, false])
  expect([isChannelOff(nothing, 'email'), isChannelOff(stoppedFor('news'), 'email')]).toEqual([false, false])
  expect(isChannelOff(applyPreferences(nothing, [off('*', 'email')]), 'email')).toBe(true)
  // Each topic that the user has switched off remains so when everything is switched on.
  expect(isChannelOff(applyPreferences(nothing, [off('news', '*'), off('offers', '*')]), 'email')).toBe(false)
  expect(isChannelOff(applyPreferences(all, [{ ...off('*', 'email'), state: null }]), 'email')).toBe(false)
})
