import { Fragment, useId, useState } from 'react'
import type { InboxClient, PreferenceChange } from '../index.ts'
import { all, isChannelOff, isRemovable, isWideOff, type PreferenceTopic } from '../preferences.ts'
import { FrequencyChoice } from './frequency-choice.tsx'
import { preferenceLanguageOf } from './preference-catalogues.ts'
import type { PreferenceLabels } from './preference-labels.ts'
import { PreferenceToggle } from './preference-toggle.tsx'
import { type UsedPreferences, usePreferences } from './use-preferences.ts'

export type { PreferenceLabels } from './preference-labels.ts'

export interface PreferencesProps {
  inbox: InboxClient
  /** `auto`, the default, follows the system. */
  theme?: 'auto' | 'light' | 'dark'
  /** Replaces words of the language, or adds a language. */
  labels?: Partial<PreferenceLabels>
  /** Language of the words, and of the topics where they have it, as a BCP 47 tag; default: English. */
  locale?: string
}

/** What the user receives, by topic and channel, as switches. Needs `inbox.css`. */
export function Preferences({ inbox, theme = 'auto', labels, locale }: PreferencesProps) {
  const { labels: known, ...written } = preferenceLanguageOf(locale)
  const state = usePreferences(inbox, written.lang)
  const words = { ...known, ...labels }
  const [hasFailed, setHasFailed] = useState(false)
  const id = useId()
  const change = (rule: PreferenceChange) => {
    setHasFailed(false)
    state.change([rule]).catch(() => setHasFailed(true))
  }
  return (
    <section className="ni-root ni-preferences" data-theme={theme} aria-labelledby={id} {...written}>
      <h2 className="ni-heading" id={id}>
        {words.title}
      </h2>
      <Notices {...{ state, words, hasFailed }} />
      {state.topics.some(({ kind }) => kind !== 'required') && <Everything {...{ state, words, change }} />}
      {state.topics.map((topic) => (
        <Topic key={topic.topic_key} {...{ topic, state, words, change }} />
      ))}
    </section>
  )
}

interface PartProps {
  state: UsedPreferences
  words: PreferenceLabels
  change: (rule: PreferenceChange) => void
}

function Notices({ state, words, hasFailed }: Omit<PartProps, 'change'> & { hasFailed: boolean }) {
  const { status, isLoaded, topics, reload } = state
  const isDenied = status === 'denied'
  const isUnreachable = !isDenied && state.hasFailed
  return (
    <>
      <div role="status">
        {!isLoaded && !isDenied && !isUnreachable && <p className="ni-notice">{words.loading}</p>}
        {isLoaded && topics.length === 0 && <p className="ni-notice">{words.empty}</p>}
        {isUnreachable && <p className="ni-notice">{words.unreachable}</p>}
      </div>
      <div role="alert">
        {hasFailed && <p className="ni-notice ni-error">{words.failed}</p>}
        {isDenied && <p className="ni-notice ni-error">{words.denied}</p>}
      </div>
      {(isDenied || isUnreachable) && (
        <button className="ni-more" type="button" onClick={reload}>
          {words.retry}
        </button>
      )}
    </>
  )
}

/** The widest choices: removing one brings narrower ones back. */
function Everything({ state, words, change }: PartProps) {
  const channels = [...new Set(state.topics.flatMap((topic) => topic.channels.map(({ channel }) => channel)))]
  const isAllOff = isWideOff(state, all, all)
  return (
    <fieldset className="ni-topic">
      <legend>{words.everything}</legend>
      <PreferenceToggle
        label={words.allChannels}
        isOn={!isAllOff}
        onChange={(isOn) => change({ topic: all, channel: all, state: isOn ? null : 'off' })}
      />
      {channels.map((channel) => (
        <PreferenceToggle
          key={channel}
          label={words.channels[channel] ?? channel}
          isOn={!isAllOff && !isChannelOff(state, channel)}
          note={isAllOff ? words.overridden : undefined}
          onChange={(isOn) => change({ topic: all, channel, state: isOn ? null : 'off' })}
        />
      ))}
    </fieldset>
  )
}

function Topic({ topic, state, words, change }: PartProps & { topic: PreferenceTopic }) {
  const { topic_key, name, description, kind, channels } = topic
  const isTopicOff = isWideOff(state, topic_key, all)
  const isAllOff = isWideOff(state, all, all)
  // It only stops messages: a topic of the kind `off` is switched on for each channel.
  const hasSwitchForAll = isTopicOff || (kind === 'on' && channels.length > 1)
  return (
    <fieldset className="ni-topic">
      <legend dir="auto">{name}</legend>
      {description && (
        <p className="ni-body" dir="auto">
          {description}
        </p>
      )}
      {kind === 'required' ? (
        <p className="ni-required">{words.required}</p>
      ) : (
        <>
          {hasSwitchForAll && (
            <PreferenceToggle
              label={words.allChannels}
              isOn={!isAllOff && !isTopicOff}
              note={isAllOff ? words.overridden : undefined}
              onChange={(isOn) => change({ topic: topic_key, channel: all, state: isOn ? null : 'off' })}
            />
          )}
          {channels.map(({ channel, state: sends, overridden, digests, frequency }) => (
            <Fragment key={channel}>
              <PreferenceToggle
                label={words.channels[channel] ?? channel}
                isOn={sends === 'on'}
                note={overridden ? words.overridden : undefined}
                onChange={(isOn) => change({ topic: topic_key, channel, state: isOn ? 'on' : 'off' })}
              />
              {digests && sends === 'on' && (
                <FrequencyChoice
                  channel={words.channels[channel] ?? channel}
                  {...{ words, frequency }}
                  isRemovable={isRemovable(topic, channel, state.rules)}
                  onChange={(chosen) => change({ topic: topic_key, channel, state: 'on', frequency: chosen })}
                />
              )}
            </Fragment>
          ))}
        </>
      )}
    </fieldset>
  )
}
